import { rmSync } from 'node:fs';
import { BSONRegExp, Decimal128, Double, Long, ObjectId } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CountingView } from '../../src/infrastructure/database/embedded-mongodb/commands/explain.js';
import { temporaryDirectory } from '../../src/infrastructure/database/embedded-mongodb/directory.js';
import { Engine } from '../../src/infrastructure/database/embedded-mongodb/engine/engine.js';
import {
  accessTo,
  countRecords,
  coveredCount,
  findRecords,
  type Query,
} from '../../src/infrastructure/database/embedded-mongodb/engine/find.js';
import { plainScope } from '../../src/infrastructure/database/embedded-mongodb/expressions/expression.js';
import { plan } from '../../src/infrastructure/database/embedded-mongodb/engine/planner.js';
import { insertRecord, removeRecord } from '../../src/infrastructure/database/embedded-mongodb/engine/records.js';
import { verify } from './embedded-mongodb-verify.js';
import { leaves } from '../../src/infrastructure/database/embedded-mongodb/values/leaves.js';
import { compileSortKey } from '../../src/infrastructure/database/embedded-mongodb/values/sort-key.js';
import { Store } from '../../src/infrastructure/database/embedded-mongodb/storage/store.js';
import { foldFor } from '../../src/infrastructure/database/embedded-mongodb/values/collation.js';
import type { Document } from '../../src/infrastructure/database/embedded-mongodb/values/document.js';

const FILTERS = 6_000;
const SORTS = 1_000;

/** Numbers that repeat from run to run, so that a failure can be looked at. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** As they come over the wire. */
const patterns = (...given: RegExp[]) => given.map(({ source, flags }) => new BSONRegExp(source, flags));

describe('A query plan', () => {
  const next = random(7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const ids = [1, 2, 3].map((n) => new ObjectId(n.toString(16).padStart(24, '0')));
  const longText = 'x'.repeat(3000);

  function scalar(): unknown {
    return pick<() => unknown>([
      () => Math.floor(next() * 4),
      () => next() * 3,
      () => new Double(2),
      () => Long.fromNumber(3),
      () => Decimal128.fromString('1.5'),
      () => pick(['a', 'A', 'b', 'ab', '', 'a\0b', longText, `${longText}y`, `${longText}Z`]),
      () => null,
      () => next() > 0.5,
      () => new Date(Math.floor(next() * 3)),
      () => pick(ids),
      () => pick([NaN, Infinity, -Infinity]),
    ])();
  }

  const short = [0, 1, 2.5, Long.fromNumber(2), 'a', 'ab', 'a.b', '', null, true, new Date(1)];

  function value(): unknown {
    return pick<() => unknown>([
      scalar,
      scalar,
      scalar,
      () => [],
      () => [scalar()],
      () => [scalar(), scalar()],
      () => [[scalar()], scalar()],
      () => ({ x: scalar() }),
      () => [{ x: scalar() }, { x: scalar(), y: scalar() }],
      () => [{ x: scalar() }, { y: scalar() }],
      () => [{ x: [scalar()] }, scalar()],
    ])();
  }

  function randomDocument(): Document {
    const document: Document = {};
    for (const field of ['a', 'b', 'c']) if (next() > 0.2) document[field] = value();
    // Never an array, and never so long that an index cuts it.
    for (const field of ['s', 't', 'u']) if (next() > 0.2) document[field] = pick(short);
    return document;
  }

  function condition(): unknown {
    const operand = (): unknown => (next() > 0.1 ? scalar() : value());
    return pick<() => unknown>([
      operand,
      operand,
      () => ({ $eq: operand() }),
      () => ({ $gt: scalar() }),
      () => ({ $gte: scalar(), $lt: scalar() }),
      () => ({ $lte: scalar() }),
      () => ({ $in: [operand(), operand()] }),
      () => ({ $exists: next() > 0.5 }),
      () => ({ $ne: operand() }),
      () => pick(patterns(/^a/, /^ab?/, /^a\b/, /^x\.*/, /^a|b/, /^xxx/, /b$/, /^/, /^A/i)),
      () => ({ $regex: pick(['^a', '^[ab]', 'a']), $exists: true }),
      () => ({ $type: pick(['string', 'number', 'array', 'null']) }),
      () => ({ $elemMatch: { $gte: scalar(), $ne: scalar() } }),
      () => ({ $elemMatch: { [pick(['x', 'y', '0'])]: scalar(), y: pick([scalar(), { $gt: scalar() }]) } }),
    ])();
  }

  const paths = ['a', 'b', 'c', 'a.x', 'a.y', 'b.x', 'a.0', 's', 't', 's', 't'];

  function filter(depth = 0): Document {
    const result: Document = {};
    for (let i = 0; i < 1 + next() * 2; i++) result[pick(paths)] = condition();
    if (depth === 0 && next() > 0.8) result['$and'] = [filter(1), filter(1)];
    if (depth === 0 && next() > 0.8) result['$or'] = [filter(1), filter(1)];
    return result;
  }

  const documents: Document[] = [];

  /** What one of the documents holds: values drawn at random hardly ever meet in two fields of the same one. */
  function describing(document: Document): Document {
    const asked = Array.from({ length: 2 }, () => pick(paths));
    return Object.fromEntries(asked.map((path) => [path, pick(leaves(document, path.split('.')).flat()) ?? null]));
  }

  const indexes: Document[] = [
    { key: { a: 1 } },
    { key: { a: -1, b: 1 } },
    { key: { 'a.x': 1 } },
    { key: { 'a.x': 1, 'a.y': -1 } },
    { key: { 'b.x': 1, b: 1 } },
    { key: { b: -1 }, sparse: true },
    { key: { b: 1, 'a.x': -1 }, sparse: true },
    { key: { c: 1 }, partialFilterExpression: { c: { $gt: 1 } } },
    { key: { c: 1, b: -1 }, partialFilterExpression: { c: { $exists: true } } },
    { key: { c: -1 }, partialFilterExpression: { $and: [{ c: { $gte: 2 } }, { b: { $exists: true } }] } },
    { key: { c: 1 }, name: 'folded', collation: { locale: 'en', strength: 2 } },
    { key: { s: 1 } },
    { key: { s: 1, t: -1, u: 1 } },
    { key: { t: -1, u: 1 } },
    { key: { u: -1 }, sparse: true },
  ];

  const directory = temporaryDirectory();
  let engine: Engine;
  let indexed = 0;

  beforeAll(async () => {
    engine = new Engine(Store.open(directory.dataFile, false));
    await engine.write((view) => {
      for (const name of ['plain', 'indexed']) engine.catalogue.create(view, 'db', name);
      const specifications = indexes.map((index, i) => ({ name: `index${i}`, ...index }));
      engine.catalogue.createIndexes(view, collection('indexed'), specifications);
      for (let n = 0; n < 400; n++) {
        const document = { _id: n, ...randomDocument() };
        try {
          for (const name of ['indexed', 'plain']) {
            insertRecord(view, collection(name), n + 1, document);
          }
          documents.push(document);
        } catch (error) {
          // Two arrays in one compound index: refused, as in MongoDB, before anything is written.
          expect(error).toMatchObject({ code: 171 });
        }
      }
    });
  });

  afterAll(async () => {
    await engine.close();
    rmSync(directory.path, { recursive: true });
  });

  function collection(name: string) {
    return engine.catalogue.find(`db.${name}`) ?? expect.fail(`no collection ${name}`);
  }

  function idsOf(name: string, query: Query): number[] {
    const records = findRecords(engine.store, collection(name), query);
    return records.map(({ id }) => id).sort((a, b) => a - b);
  }

  it(`finds exactly what a scan of the collection finds, for ${FILTERS} random filters`, () => {
    for (let n = 0; n < FILTERS; n++) {
      const collation = next() > 0.8 ? { locale: 'en', strength: 2 } : undefined;
      const query: Query = {
        filter: n % 3 > 0 ? filter() : describing(pick(documents)),
        ...plainScope(foldFor(collation)),
      };
      if (plan(engine.store, collection('indexed'), query)) indexed++;
      const found = idsOf('plain', query);
      expect(idsOf('indexed', query), JSON.stringify(query.filter)).toEqual(found);
      expect(countRecords(engine.store, collection('indexed'), query), JSON.stringify(query.filter)).toBe(found.length);
    }
    expect(indexed).toBeGreaterThan(FILTERS / 2);
  });

  it('that follows an index for its order gives the order of a sort', () => {
    const fields = ['s', 't', 'u', 's', 't', 'u', 'a', 'a.x'];
    let followed = 0;
    for (let n = 0; n < SORTS; n++) {
      const sort = Object.fromEntries([pick(fields), pick(fields)].map((field) => [field, pick([1, -1])]));
      const conditions = Array.from({ length: Math.floor(next() * 3) }, () => [pick(fields), condition()] as const);
      const skip = Math.floor(next() * 3);
      const query: Query = {
        ...plainScope(),
        filter: Object.fromEntries(conditions),
        sort,
        skip,
        limit: pick([1, 5, 300]),
      };
      if (!accessTo(engine.store, collection('indexed'), query).needsSort) followed++;
      const keyOf = compileSortKey(sort);
      // Documents with equal values may come in any order.
      const keys = (name: string) =>
        findRecords(engine.store, collection(name), query).map(({ document }) => keyOf(document).toString('hex'));
      expect(keys('indexed'), JSON.stringify([query.filter, sort])).toEqual(keys('plain'));
    }
    expect(followed).toBeGreaterThan(SORTS / 10);
  });

  it('counts by an index alone what a scan counts', () => {
    let covered = 0;
    for (let n = 0; n < SORTS; n++) {
      const fields = pick([['s'], ['s', 't'], ['t', 'u'], ['s', 't', 'u'], ['a'], ['s', 'u']]);
      const values = fields.map(() => (next() > 0.3 ? pick(short) : pick(patterns(/^a/, /^a\./, /^a$/, /^./))));
      const asked = Object.fromEntries(fields.map((field, i) => [field, values[i]]));
      const count = coveredCount(engine.store, collection('indexed'), { ...plainScope(), filter: asked });
      if (count === undefined) continue;
      covered++;
      expect(count, JSON.stringify(values.map(String))).toBe(idsOf('plain', { ...plainScope(), filter: asked }).length);
    }
    expect(covered).toBeGreaterThan(SORTS / 10);
  });

  it('for a page in the order of an index reads no more than the page', () => {
    const view = new CountingView(engine.store);
    const query: Query = { ...plainScope(), filter: { s: 2, t: { $gt: 0 } }, sort: { t: -1, u: 1 }, limit: 2 };
    expect(findRecords(view, collection('indexed'), query)).toHaveLength(2);
    expect(view.documents).toBe(2);
  });

  it('reads between two bounds of a field, unless it may be an array', async () => {
    await engine.write((view) => {
      engine.catalogue.createIndexes(view, engine.catalogue.create(view, 'db', 'dates'), [
        { key: { at: 1 }, name: 'rising' },
        { key: { kind: 1, on: -1 }, name: 'falling' },
        { key: { any: 1 }, name: 'many' },
      ]);
      for (let n = 0; n < 100; n++) {
        const document = { _id: n, at: n, kind: 'a', on: n, any: n === 0 ? [0, 99] : n };
        insertRecord(view, collection('dates'), n + 1, document);
      }
    });
    const read = (filter: Document) => {
      const view = new CountingView(engine.store);
      const found = findRecords(view, collection('dates'), { ...plainScope(), filter });
      return [found.length, view.documents];
    };
    expect(read({ at: { $gt: 40, $lte: 45 } })).toEqual([5, 6]);
    expect(read({ kind: 'a', $and: [{ on: { $lt: 45 } }, { on: { $gte: 40 } }] })).toEqual([5, 6]);
    expect(read({ at: { $gte: 40, $lt: 30 } }), 'nothing is both').toEqual([0, 0]);
    expect(read({ at: { $gte: 40, $lt: 'z' } }), 'nothing is of two types').toEqual([0, 0]);
    expect(read({ any: { $gt: 90, $lt: 10 } }), 'one element is above, the other below').toEqual([1, 11]);
  });

  it('keeps the count of a collection beside it', async () => {
    const count = (): number => countRecords(engine.store, collection('indexed'), { ...plainScope(), filter: {} });
    const view = new CountingView(engine.store);
    const before = count();
    expect(before).toBe(idsOf('plain', { ...plainScope(), filter: {} }).length);
    await engine.write((view) => {
      const [first] = findRecords(view, collection('indexed'), { ...plainScope(), filter: {}, limit: 1 });
      if (!first) throw new Error('there is no record');
      removeRecord(view, collection('indexed'), first);
      expect(countRecords(view, collection('indexed'), { ...plainScope(), filter: {} })).toBe(before - 1);
      insertRecord(view, collection('indexed'), first.id, first.document);
    });
    expect(countRecords(view, collection('indexed'), { ...plainScope(), filter: {}, skip: 1, limit: 5 })).toBe(5);
    expect([count(), view.documents]).toEqual([before, 0]);
  });

  it('rests on indexes that equal recomputed ones', () => {
    expect(verify(engine.store)).toEqual([]);
  });
});
