import { parseArgs } from 'node:util';
import type { Command } from './command.js';
import { COMMANDS } from './commands.js';

const PROGRAM = 'npm run cli --';

/** The command line is not understood. */
export class UsageError extends Error {}

export interface Invocation {
  command: Command;
  argument: string;
  isJson: boolean;
}

function synopsisOf(name: string, { argument }: Command): string {
  return argument ? `${name} <${argument}>` : name;
}

const HELP = [
  `Usage: ${PROGRAM} <command> [--json]`,
  '',
  'Commands:',
  ...Object.entries(COMMANDS).map(([name, command]) => `  ${synopsisOf(name, command).padEnd(27)} ${command.help}`),
  '',
  'Options:',
  '  --json                      answer in JSON, for programs; errors too, on standard error',
  '  --help                      this text; after a command, that command’s',
  '',
  'Examples:',
  `  ${PROGRAM} grant-admin ada@example.com`,
  '  npm run --silent cli -- list-api-keys --json',
  '',
  'It reads the settings of the service (environment, .env) and may run beside it. In a container, or where npm is missing:',
  'node dist/cli.js <command>. A service without REDIS_URL may honour an ended session or a revoked key for another minute.',
  '',
  'Exit codes: 0 done, 1 it failed or there is no such thing, 2 wrong usage, 3 done, but the answer cannot be written.',
].join('\n');

/**
 * Parses the command line.
 * @returns a text if the operator asked for help
 * @throws UsageError with a sentence that says what is wrong, and where to read on
 */
export function readInvocation(args: string[]): Invocation | string {
  const { values, positionals } = parse(args);
  const [name, argument = '', ...rest] = positionals;
  if (name === undefined || name === 'help') {
    if (values.help || name === 'help') return HELP;
    throw new UsageError(HELP);
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`There is no command "${name}". ${PROGRAM} --help lists them.`);
  const synopsis = `${PROGRAM} ${synopsisOf(name, command)}`;
  if (values.help) return `Usage: ${synopsis} [--json]\n\n${command.help}`;
  if (command.argument && argument === '') throw new UsageError(`${name} needs its <${command.argument}>: ${synopsis}`);
  if (rest.length > 0 || (!command.argument && argument !== ''))
    throw new UsageError(`${name} takes ${command.argument ? 'one argument' : 'no argument'}: ${synopsis}`);
  return { command, argument, isJson: values.json };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. ${PROGRAM} --help lists what there is.`);
  }
}
