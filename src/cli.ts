import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { CliModule, type Invocation, readInvocation, RefusedError, UsageError } from './cli/index.js';
import { SystemClock } from './common/clock/index.js';
import { RecordCache } from './infrastructure/cache/index.js';
import { DatabaseServer } from './infrastructure/database/index.js';
import { ConfigError, environmentVariables, loadConfig } from './infrastructure/config/index.js';

const WAITING = 'Redis does not answer: waiting until no service can go on with what was before, a minute at most\n';

const IN_USE = 'Others use the store through this command: waiting until none does\n';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;
const DONE_UNTOLD = 3;

const args = process.argv.slice(2);

/** @returns the exit code */
async function run({ command, argument, isJson }: Invocation): Promise<number> {
  const config = loadConfig(environmentVariables(), { isForCommand: true });
  const module = CliModule.forRoot({ config, clock: new SystemClock() });
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const tell = (progress: string) => {
    if (!isJson) process.stderr.write(`${progress}\n`);
  };
  const code = await command.run(app, argument, tell).then(({ lines, data }) => {
    print(isJson ? JSON.stringify(data) : lines.join('\n'));
    return DONE;
  }, report);
  const cache = app.get(RecordCache);
  if (cache.hasMissedWrites) {
    if (!isJson) process.stderr.write(WAITING);
    await cache.untilHandedOn();
  }
  const notice =
    app.get(DatabaseServer).isEmbedded && !isJson ? setTimeout(() => process.stderr.write(IN_USE), 1_000) : undefined;
  await app.close();
  clearTimeout(notice);
  return code;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Expected errors are printed as they are; anything else is marked as a failure of the tool. */
function explain(error: Error): string {
  const isExpected = [UsageError, ConfigError, RefusedError].some((kind) => error instanceof kind);
  return isExpected ? error.message : `It failed: ${error.message}`;
}

/** Tells what went wrong. @returns the exit code */
function report(error: Error): number {
  const message = explain(error);
  process.stderr.write(`${args.includes('--json') ? JSON.stringify({ error: message }) : message}\n`);
  return error instanceof UsageError ? WRONG_USAGE : FAILED;
}

process.stdout.on('error', ({ message }) => {
  process.stderr.write(`The answer, of what was done, cannot be written: ${message}\n`);
  // Not at once: services may still have to be told.
  process.exitCode = DONE_UNTOLD;
});
let code = DONE;
try {
  const invocation = readInvocation(args);
  if (typeof invocation === 'string') print(invocation);
  else code = await run(invocation);
} catch (error) {
  code = report(error as Error);
}
// Exits at once: something half set up, such as a connection, would keep the process alive for ever.
if (code !== DONE) process.exit(code);
