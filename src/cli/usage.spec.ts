import { describe, expect, it } from 'vitest';
import { COMMANDS } from './commands.js';
import { readInvocation, UsageError } from './usage.js';

const refusal = (...args: string[]) => {
  try {
    readInvocation(args);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error(`${args.join(' ')} was understood`);
};

describe('The command line', () => {
  it('is read: a command, its argument, the form of the answer', () => {
    expect(readInvocation(['grant-admin', 'ada@example.com'])).toEqual({
      command: COMMANDS['grant-admin'],
      argument: 'ada@example.com',
      isJson: false,
    });
    expect(readInvocation(['--json', 'list-mails'])).toMatchObject({ argument: '', isJson: true });
  });

  it('yields a help that names every command in lines that fit, and one for each', () => {
    const help = readInvocation(['--help']) as string;
    for (const same of [['help'], ['-h'], ['help', '--json']]) expect(readInvocation(same)).toBe(help);
    for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(125);
    for (const [name, { help: text }] of Object.entries(COMMANDS)) {
      expect(help).toContain(`  ${name}`);
      expect(readInvocation([name, '--help'])).toMatch(new RegExp(`^Usage: npm run cli -- ${name}`));
      expect(readInvocation([name, '--help'])).toContain(text);
    }
  });

  it.each([
    [['nothing'], 'There is no command "nothing". npm run cli -- --help lists them.'],
    [['constructor'], 'There is no command "constructor". npm run cli -- --help lists them.'],
    [['grant-admin'], 'grant-admin needs its <email|id>: npm run cli -- grant-admin <email|id>'],
    [['grant-admin', 'a', 'b'], 'grant-admin takes one argument: npm run cli -- grant-admin <email|id>'],
    [['list-mails', 'x'], 'list-mails takes no argument: npm run cli -- list-mails'],
    [['--nothing'], "Unknown option '--nothing'. npm run cli -- --help lists what there is."],
    [['--json=yes'], "Option '--json' does not take an argument. npm run cli -- --help lists what there is."],
  ])('says what is wrong with %j', (args, sentence) => {
    expect(refusal(...args)).toBe(sentence);
  });

  it('of nothing at all is answered with the help, as an error', () => {
    expect(refusal()).toBe(readInvocation(['--help']));
    expect(refusal('--json')).toContain('Usage:');
  });
});
