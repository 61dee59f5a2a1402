import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { CliModule, type Invocation, readInvocation, RefusedError, UsageError } from './cli/index.js';
import { SystemClock } from './common/clock/index.js';
import { RecordCache } from './infrastructure/cache/index.js';
import { ConfigError, environmentVariables, loadConfig } from './infrastructure/config/index.js';

const FAILED = 1;
const WRONG_USAGE = 2;
const DONE_UNTOLD = 3;

async function run({ command, argument, isJson }: Invocation): Promise<void> {
  const config = loadConfig(environmentVariables(), { isForCommand: true });
  const module = CliModule.forRoot({ config, clock: new SystemClock() });
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  try {
    const { lines, data } = await command.run(app, argument);
    print(isJson ? JSON.stringify(data) : lines.join('\n'));
  } finally {
    const cache = app.get(RecordCache);
    if (cache.hasMissedWrites) {
      process.stderr.write(
        'Redis does not answer, and services may go on with what has ended: waiting until none can, a minute at most\n',
      );
      await cache.untilHandedOn();
    }
    await app.close();
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Expected errors are printed as they are; anything else is marked as a failure of the tool. */
function explain(error: Error): string {
  const isExpected = [UsageError, ConfigError, RefusedError].some((kind) => error instanceof kind);
  return isExpected ? error.message : `It failed: ${error.message}`;
}

const args = process.argv.slice(2);
process.stdout.on('error', ({ message }) => {
  process.stderr.write(`The answer, of what was done, cannot be written: ${message}\n`);
  process.exit(DONE_UNTOLD);
});
try {
  const invocation = readInvocation(args);
  if (typeof invocation === 'string') print(invocation);
  else await run(invocation);
} catch (error) {
  const message = explain(error as Error);
  process.stderr.write(`${args.includes('--json') ? JSON.stringify({ error: message }) : message}\n`);
  // Exits at once: something half set up, such as a connection, would keep the process alive for ever.
  process.exit(error instanceof UsageError ? WRONG_USAGE : FAILED);
}
