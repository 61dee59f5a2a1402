import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const LEFT_BEHIND = ['node_modules', 'dist', 'data', '.git', '.env'];
const COMMAND_LIMIT_MS = 240_000;

const guide = readFileSync(join(ROOT, 'docs/add-a-module.md'), 'utf8');

/** A block under the name of a file is that file, or its change; a block of `sh` is commands, one in each line. */
const files = [...guide.matchAll(/^\*\*`(\S+)`\*\*\n\n```(ts|diff)\n(.*?)^```$/gms)].map(([, path, kind, text]) => ({
  path: path as string,
  kind: kind as string,
  text: text as string,
}));
const commands = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, text]) =>
  (text as string).trim().split('\n'),
);

/** Replaces what a hunk shows of the file by what it is to become. It must be there, and once. */
function changed(source: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((text, hunk) => {
    const lines = hunk.trimEnd().split('\n');
    const side = (sign: string) =>
      lines
        .filter((line) => [' ', sign].includes(line[0] as string))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    expect(text.split(side('-')).length - 1, `${hunk} is found once`).toBe(1);
    return text.replace(side('-'), () => side('+'));
  }, source);
}

// Where a team has followed it, it cannot be followed again.
describe.skipIf(existsSync(join(ROOT, 'src/notes')))('The guide to adding a module, followed to the letter,', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'add-a-module-'));
    cpSync(ROOT, copy, { recursive: true, filter: (path) => path === ROOT || !LEFT_BEHIND.includes(basename(path)) });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const { path, kind, text } of files) {
      const target = join(copy, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, kind === 'diff' ? changed(readFileSync(target, 'utf8'), text) : text);
    }
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('names every file and command', () => {
    expect(files.length).toBe([...guide.matchAll(/^```(?:ts|diff)$/gm)].length);
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['src/app.module.ts', 'src/notes/index.ts']));
    expect(commands.length).toBeGreaterThan(3);
  });

  // In the order of the guide: a later command builds on an earlier one.
  it.each(commands.map((command) => [command]))(
    'succeeds with %s',
    async (command) => {
      const { PATH, HOME, REDIS_URL } = process.env;
      const env = { PATH, HOME, ...(REDIS_URL ? { REDIS_URL } : {}) };
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: copy, env }).catch(
        ({ stdout: output, stderr }: { stdout: string; stderr: string }) => {
          throw new Error(`${command} failed:\n${output}${stderr}`);
        },
      );
      if (command.includes('vitest')) expect(stdout).toMatch(/[1-9]\d* passed, 0 failed/);
    },
    COMMAND_LIMIT_MS,
  );

  it('yields an OpenAPI document with its routes', () => {
    const { paths } = JSON.parse(readFileSync(join(copy, 'openapi.json'), 'utf8')) as { paths: Record<string, object> };
    expect(Object.keys(paths['/api/notes'] ?? {})).toEqual(expect.arrayContaining(['get', 'post']));
    expect(Object.keys(paths['/api/notes/{id}'] ?? {})).toContain('delete');
  });
});
