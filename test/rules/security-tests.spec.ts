import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const SPEC = /(?:\.e2e-spec|\.spec)\.ts$/;
const specs = ['src', 'test'].flatMap((folder) =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) => SPEC.test(file)),
);

/** What stands in the last column of tables beside the names of tests. */
const NO_TESTS = ['test/abuse', 'STORIES=1000'];

/** The tests that tables name in their last column: by file, and by folder where the file alone does not tell which. */
function testsNamedIn(tables: string): string[] {
  const lastCells = tables.split('\n').map((line) => (line.startsWith('|') ? line.split('|').at(-2) : ''));
  return lastCells
    .flatMap((cell) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] as string))
    .filter((name) => !NO_TESTS.includes(name));
}

describe('The attacks and requirements in docs/security.md', () => {
  const document = readFileSync(resolve(ROOT, 'docs/security.md'), 'utf8');
  const named = testsNamedIn(document.slice(document.indexOf('| Attack |')));

  it('name tests that exist', () => {
    expect(named.length).toBeGreaterThan(100);
    const files = new Set(
      specs.flatMap((file) => [file, file.split('/').at(-1) as string].map((path) => path.replace(SPEC, ''))),
    );
    expect(named.filter((name) => !files.has(name.replace(/\.spec$/, '')))).toEqual([]);
  });
});

describe('What is promised in docs/security.md', () => {
  it('is shown by tests that exist', () => {
    const document = readFileSync(resolve(ROOT, 'docs/security.md'), 'utf8');
    const named = [...document.matchAll(/`test\/([^`]+\.ts)`/g)].map((match) => match[1] as string);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !specs.includes(name))).toEqual([]);
  });
});
