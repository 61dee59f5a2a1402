import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/**
 * From the ground up: a room (a folder of src) imports from lower floors alone. Rooms of one floor are siblings, and do
 * not know each other. A room that is not named here is a new feature, beside `auth`; commands may know features.
 */
const FLOORS = [
  ['common'],
  ['infrastructure'],
  ['security'],
  ['mail', 'users', 'login-history'],
  ['auth', 'dev-tools', 'client'],
  ['cli'],
];
const EMBEDDED_STORE = join('infrastructure', 'database', 'embedded-mongodb');
/** What its rooms may know of the files beside them: the others put the rooms together. */
const STORE_FOUNDATION = join(EMBEDDED_STORE, 'command-error.ts');
/** The rooms of the store, from the ground up. */
const STORE_ROOMS = [
  'values',
  'storage',
  'expressions',
  'query',
  'aggregation',
  'engine',
  'update',
  'wire',
  'commands',
];

interface Import {
  from: string;
  to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function importsOf(file: string): Import[] {
  const source = readFileSync(join(SRC, file), 'utf8');
  const specifiers = [...source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] as string);
  return specifiers.map((specifier) => ({
    from: file,
    to: relative(SRC, resolve(SRC, dirname(file), specifier)).replace(/\.js$/, '.ts'),
  }));
}

const imports = files.flatMap(importsOf);
const roomOf = (file: string) => file.split('/')[0] as string;
const floorOf = (file: string) => {
  const floor = FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)));
  return floor === -1 ? FLOORS.findIndex((rooms) => rooms.includes('auth')) : floor;
};
const isRoot = (file: string) => !file.includes('/');
const text = ({ from, to }: Import) => `${from} -> ${to}`;

describe('Imports', () => {
  it('are found at all', () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(imports.filter(({ to }) => !files.includes(to)).map(text)).toEqual([]);
  });

  it('run from higher floors to lower ones, never between siblings or upwards', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (isRoot(from)) return false;
      if (isRoot(to)) return true;
      return roomOf(from) !== roomOf(to) && floorOf(to) >= floorOf(from);
    });
    expect(wrong.map(text)).toEqual([]);
  });

  it('enter another room through its index', () => {
    const entrances = /^(?:common|infrastructure)\/(?:[^/]+\/)?index\.ts$|^[^/]+\/index\.ts$/;
    const wrong = imports.filter(
      ({ from, to }) =>
        !isRoot(to) &&
        (isRoot(from) ? !to.endsWith('app.module.ts') : roomOf(from) !== roomOf(to)) &&
        !entrances.test(to),
    );
    expect(wrong.map(text)).toEqual([]);
  });

  it('leave the embedded store alone: it could be a package of its own', () => {
    const outward = imports.filter(({ from, to }) => from.startsWith(EMBEDDED_STORE) && !to.startsWith(EMBEDDED_STORE));
    expect(outward.map(text)).toEqual([]);
    const foreign = files
      .filter((file) => file.startsWith(EMBEDDED_STORE))
      .filter((file) => /(?:from|import)\s*\(?\s*'(?:@nestjs|mongoose)/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(foreign).toEqual([]);
  });

  it('enter the embedded store through its index, but for tests', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        !from.startsWith(EMBEDDED_STORE) &&
        !from.endsWith('.spec.ts') &&
        to.startsWith(EMBEDDED_STORE) &&
        to !== join(EMBEDDED_STORE, 'index.ts'),
    );
    expect(wrong.map(text)).toEqual([]);
  });

  it('run downwards in the embedded store', () => {
    const ofStore = files.filter((file) => file.startsWith(EMBEDDED_STORE));
    const roomOfStore = (file: string) => relative(EMBEDDED_STORE, file).split('/')[0] as string;
    const isInRoom = (file: string) => relative(EMBEDDED_STORE, file).includes('/');
    expect(ofStore).toContain(STORE_FOUNDATION);
    expect(ofStore.filter((file) => isInRoom(file) && !STORE_ROOMS.includes(roomOfStore(file)))).toEqual([]);
    const heightOf = (file: string) => {
      if (file === STORE_FOUNDATION) return -1;
      return isInRoom(file) ? STORE_ROOMS.indexOf(roomOfStore(file)) : STORE_ROOMS.length;
    };
    const wrong = imports.filter(({ from, to }) => ofStore.includes(from) && heightOf(to) > heightOf(from));
    expect(wrong.map(text)).toEqual([]);
  });

  it('never form a circle', () => {
    const targets = new Map<string, string[]>();
    for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const to of targets.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });
});

describe('The source', () => {
  const isSpec = (file: string) => file.endsWith('.spec.ts');
  const containing = (pattern: RegExp, allowed: (file: string) => boolean) =>
    files.filter((file) => !allowed(file) && pattern.test(readFileSync(join(SRC, file), 'utf8')));

  it('reads the environment in one place', () => {
    const environment = /process(?:\?\.|\.|\[')env\b|\benv\b[^;]*\} = process\b|from '(?:node:)?process'/;
    expect(containing(environment, (file) => file.startsWith('infrastructure/config/'))).toEqual([]);
  });

  it('touches Mongoose models in persistence files alone', () => {
    const isPersistence = (file: string) =>
      /\.(repository|schema|module)\.ts$/.test(file) || file.endsWith('development-inbox.ts');
    expect(containing(/@InjectModel\(/, isPersistence)).toEqual([]);
    const model = /\bgetModelToken\(|\bconnection(?:\.db)?!?\??\.(?:model|collection)[(<]/;
    expect(containing(model, (file) => isPersistence(file) || isSpec(file))).toEqual([]);
  });

  it('takes the time from the clock', () => {
    // The client runs elsewhere, and has no clock but its machine's.
    const isExempt = (file: string) =>
      file.endsWith('system-clock.ts') || file.startsWith(EMBEDDED_STORE) || roomOf(file) === 'client';
    // Nor by a `now` that it is given as a function.
    expect(containing(/Date\.now\b|new Date\(\)/, isExempt)).toEqual([]);
  });

  it('has no forwardRef, no Math.random, no eval', () => {
    expect(containing(/forwardRef\b|Math\.random\b|(?<!\.)\beval\(|new Function\(/, () => false)).toEqual([]);
  });

  it('has no drawers', () => {
    const drawer = /(?:^|[/.])(?:utils?|helpers?|types|common-service)(?:\/|(?:\.spec)?\.ts$)/;
    expect(files.filter((file) => drawer.test(file))).toEqual([]);
  });
});
