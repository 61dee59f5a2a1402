import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { CommandError, COMMANDS } from './cli.commands.js';
import { CliModule } from './cli.module.js';
import { SystemClock } from './common/clock/index.js';
import { ConfigError, environmentVariables, loadConfig } from './infrastructure/config/index.js';
const USAGE_EXIT_CODE = 2;
const HELP = [
    'Usage: npm run cli -- <command> [argument] [--json]',
    '',
    ...Object.entries(COMMANDS).map(([name, { argument, help }]) => `  ${`${name} ${argument ? `<${argument}>` : ''}`.padEnd(26)} ${help}`),
    '',
    'It uses the settings of the service, and may run beside it. Without REDIS_URL a running service',
    'may honour an ended session for up to a minute. Exit codes: 0 done, 1 failed, 2 wrong usage.',
].join('\n');
async function main() {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    const [name = '', argument = '', ...rest] = positionals;
    if (values.help)
        return say(HELP);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command || rest.length > 0 || (command.argument === null) !== (argument === '')) {
        process.stderr.write(`${HELP}\n`);
        return USAGE_EXIT_CODE;
    }
    const { lines, data } = await run(command, argument);
    return say(values.json ? JSON.stringify(data) : lines.join('\n'));
}
async function run(command, argument) {
    const settings = loadConfig(environmentVariables());
    const config = { ...settings, mongodb: { ...settings.mongodb, mayShareStore: true } };
    const module = CliModule.forRoot({ config, clock: new SystemClock() });
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    try {
        return await command.run(app, argument);
    }
    finally {
        await app.close();
    }
}
function say(text) {
    process.stdout.write(`${text}\n`);
    return 0;
}
try {
    process.exitCode = await main();
}
catch (error) {
    const isUsage = error.code?.startsWith('ERR_PARSE_ARGS') ?? false;
    const isExpected = isUsage || error instanceof ConfigError || error instanceof CommandError;
    process.stderr.write(`${isExpected ? '' : 'It failed: '}${error.message}\n`);
    process.exitCode = isUsage ? USAGE_EXIT_CODE : 1;
}
//# sourceMappingURL=cli.js.map