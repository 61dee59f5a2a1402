import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** `**`, `*` and `{a,b}` are all that the configuration uses. */
function toRegExp(glob: string): RegExp {
  const source = glob
    .replaceAll('.', '\\.')
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll(/\*/g, '[^/]*');
  return new RegExp(`^${source}$`);
}

const projects = (config.test?.projects ?? []) as { test: { include: string[] } }[];
const included = projects.flatMap(({ test }) => test.include).map(toRegExp);
const specs = ['src', 'test'].flatMap((folder) =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /spec\.[cm]?[jt]sx?$/.test(file))
    .map((file) => join(folder, file)),
);

describe('A spec', () => {
  it('belongs to a group of vitest.config.ts, or it would never run and nobody would notice', () => {
    expect(specs.length).toBeGreaterThan(0);
    expect(specs.filter((spec) => !included.some((pattern) => pattern.test(spec)))).toEqual([]);
  });
});
