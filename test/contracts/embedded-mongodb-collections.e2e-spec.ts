import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER } from './embedded-mongodb-contract.js';

type Fields = Record<string, unknown>;

const EDGES = { from: 'x', connectFromField: 'a', connectToField: 'b', as: 'y' };
const GRAPH = { ...EDGES, startWith: '$a' };

describe(`Collections on ${SERVER}`, () => {
  const suite = driverSuite();
  const db = () => suite.connection.db as mongoose.mongo.Db;
  const newName = () => `made-${randomUUID()}`;

  describe('A collection', () => {
    it('is listed with its options, or by its name alone', async () => {
      const name = newName();
      await db().createCollection(name, { collation: { locale: 'en', strength: 2 } });
      const [listed] = await db().listCollections({ name }).toArray();
      expect(listed).toMatchObject({
        name,
        type: 'collection',
        options: { collation: { locale: 'en', strength: 2 } },
        info: { readOnly: false },
        idIndex: { key: { _id: 1 }, name: '_id_' },
      });
      const names = await db().listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
      expect(names).toContainEqual({ name, type: 'collection' });
      expect(
        await db()
          .listCollections({ name: `${name}-other` })
          .toArray(),
      ).toEqual([]);
    });

    it('may be made twice, in the same way', async () => {
      const name = newName();
      const make = (locale: string) => db().command({ create: name, collation: { locale, strength: 2 } });
      await make('en');
      expect(await make('en')).toMatchObject({ ok: 1 });
      await expect(make('de')).rejects.toMatchObject({ code: 48 });
    });

    it('hands its collation on to queries and indexes', async () => {
      const things = await db().createCollection<Fields>(newName(), { collation: { locale: 'en', strength: 2 } });
      await things.insertMany([{ s: 'a' }, { s: 'B' }]);
      expect(await things.countDocuments({ s: 'A' })).toBe(1);
      await things.createIndex({ s: 1 }, { unique: true });
      await expect(things.insertOne({ s: 'b' })).rejects.toMatchObject({ code: 11000 });
      await things.createIndex({ t: 1 }, { unique: true, sparse: true, collation: { locale: 'simple' } });
      await things.insertMany([
        { s: 1, t: 'x' },
        { s: 2, t: 'X' },
      ]);
    });

    it.each([
      [{ locale: 'nowhere' }, 2],
      [{ locale: 'en', strenght: 2 }, 40415],
    ])('is neither made nor asked in the collation %j', async (collation, code) => {
      await expect(db().command({ create: newName(), collation })).rejects.toMatchObject({ code });
      await expect(suite.things.findOne({}, { collation } as never)).rejects.toMatchObject({ code });
    });

    it('is dropped, if it is there', async () => {
      const { collectionName: name } = await db().createCollection(newName());
      expect(await db().command({ drop: name })).toMatchObject({ nIndexesWas: 1, ns: `${db().databaseName}.${name}` });
      expect(await db().dropCollection(name)).toBe(true);
      expect(await db().listCollections({ name }).toArray()).toEqual([]);
    });

    it.each(['a$b', '.a', 'a\0b'])('cannot be called %j', async (name) => {
      await expect(db().command({ create: name })).rejects.toMatchObject({ code: 73 });
    });

    it('is in a database that is listed with it, and gone without', async () => {
      const client = suite.connection.getClient();
      const name = `contract-${randomUUID()}`;
      const listed = async () => (await client.db().admin().listDatabases({ nameOnly: true })).databases;
      await client.db(name).createCollection('x');
      expect(await listed()).toContainEqual({ name });
      await client.db(name).dropDatabase();
      expect(await listed()).not.toContainEqual(expect.objectContaining({ name }));
    });
  });

  describe('An index', () => {
    const names = async () => (await suite.things.indexes()).map(({ name }) => name);

    it('is dropped by its name, its key, with all others, and never that of the id', async () => {
      await suite.things.createIndexes([{ key: { a: 1 } }, { key: { b: -1 } }, { key: { c: 1 } }, { key: { d: 1 } }]);
      await suite.things.dropIndex('a_1');
      const drop = (index: unknown) => db().command({ dropIndexes: suite.things.collectionName, index });
      expect(await drop({ b: -1 })).toMatchObject({ nIndexesWas: 4 });
      expect(await names()).toEqual(['_id_', 'c_1', 'd_1']);
      await expect(drop('nobody')).rejects.toMatchObject({ code: 27 });
      await expect(drop('_id_')).rejects.toMatchObject({ code: 72 });
      await drop(['c_1']);
      await drop('*');
      expect(await names()).toEqual(['_id_']);
    });

    it('of a collection that is not there is none', async () => {
      await expect(suite.things.indexes()).rejects.toMatchObject({ code: 26 });
      await expect(suite.things.dropIndex('a_1')).rejects.toMatchObject({ code: 26 });
    });

    it.each<[string, object, object, number]>([
      ['of no field', {}, {}, 67],
      ['of no direction', { a: 0 }, {}, 67],
      ['that lives for less than nothing', { a: 1 }, { expireAfterSeconds: -1 }, 67],
      ['of two fields that expires', { a: 1, b: 1 }, { expireAfterSeconds: 5 }, 67],
      ['both sparse and partial', { a: 1 }, { sparse: true, partialFilterExpression: { b: 1 } }, 67],
      ['over a condition that cannot be one', { a: 1 }, { partialFilterExpression: { b: { $nin: [1] } } }, 67],
      ['of a field without a name', { 'a..b': 1 }, {}, 67],
      ['of a field that is an operator', { 'a.$b': 1 }, {}, 67],
      ['of an option that is misspelt', { a: 1 }, { uniqe: true }, 197],
      ['that lives for ever', { a: 1 }, { expireAfterSeconds: 2 ** 31 }, 67],
      ['of a collation that is misspelt', { a: 1 }, { collation: { locale: 'en', strenght: 2 } }, 40415],
      ['of ids that expire', { _id: 1 }, { expireAfterSeconds: 5 }, 197],
      ['of ids from the last to the first', { _id: -1 }, {}, 2],
      ['over a pattern', { a: 1 }, { partialFilterExpression: { b: /x/ } }, 67],
      ['over what is not there', { a: 1 }, { partialFilterExpression: { b: { $exists: false } } }, 67],
    ])('%s is refused', async (_name, key, options, code) => {
      const command = { createIndexes: suite.things.collectionName, indexes: [{ key, name: 'x', ...options }] };
      await expect(db().command(command)).rejects.toMatchObject({ code });
    });

    it('is one of 64 at most', async () => {
      const make = (from: number, to: number) =>
        suite.things.createIndexes(Array.from({ length: to - from }, (_, i) => ({ key: { [`f${from + i}`]: 1 } })));
      await make(1, 64);
      await expect(make(64, 65)).rejects.toMatchObject({ code: 67 });
      expect(await names()).toHaveLength(64);
    });

    it('without any is refused too', async () => {
      const command = { createIndexes: suite.things.collectionName, indexes: [] };
      await expect(db().command(command)).rejects.toMatchObject({ code: 2 });
    });
  });

  describe('A pipeline writes', () => {
    const target = () => `${suite.things.collectionName}-target`;
    const stored = () =>
      db()
        .collection(target())
        .find({}, { sort: { _id: 1 } })
        .toArray();
    const fillBoth = async () => {
      await suite.things.insertMany([
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ] as never);
      await db()
        .collection(target())
        .insertMany([{ _id: 2, n: 0, old: true }, { _id: 3 }] as never);
    };

    it('a whole collection anew, which keeps its indexes', async () => {
      await fillBoth();
      await db().collection(target()).createIndex({ n: 1 }, { unique: true });
      expect(await suite.aggregate({ $match: { n: 1 } }, { $out: target() })).toEqual([]);
      expect(await stored()).toEqual([{ _id: 1, n: 1 }]);
      await suite.aggregate({ $out: { db: db().databaseName, coll: target() } });
      expect(await stored()).toEqual([
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ]);
      await expect(suite.aggregate({ $set: { n: 1 } }, { $out: target() })).rejects.toMatchObject({ code: 11000 });
      expect(await stored()).toHaveLength(2);
    });

    it.each<[string, Fields, unknown[]]>([
      ['merged', {}, [{ _id: 1, n: 1 }, { _id: 2, n: 2, old: true }, { _id: 3 }]],
      ['replaced', { whenMatched: 'replace' }, [{ _id: 1, n: 1 }, { _id: 2, n: 2 }, { _id: 3 }]],
      ['kept', { whenMatched: 'keepExisting' }, [{ _id: 1, n: 1 }, { _id: 2, n: 0, old: true }, { _id: 3 }]],
      ['without new ones', { whenNotMatched: 'discard' }, [{ _id: 2, n: 2, old: true }, { _id: 3 }]],
    ])('documents that are %s', async (_name, options, expected) => {
      await fillBoth();
      await suite.aggregate({ $merge: { into: target(), ...options } });
      expect(await stored()).toEqual(expected);
    });

    it('into a collection that was not there, and of the name alone', async () => {
      await suite.things.insertOne({ _id: 1 } as never);
      await suite.aggregate({ $merge: target() });
      expect(await stored()).toEqual([{ _id: 1 }]);
    });

    it.each<[Fields, number]>([
      [{ whenMatched: 'fail' }, 11000],
      [{ whenNotMatched: 'fail' }, 13113],
      [{ whenmatched: 'fail' }, 40415],
      [{ whenMatched: 'constructor' }, 2],
      [{ whenNotMatched: 'merge' }, 2],
    ])('nothing where %j', async (options, code) => {
      await fillBoth();
      await expect(suite.aggregate({ $merge: { into: target(), ...options } })).rejects.toMatchObject({ code });
    });

    it('not within a transaction, nor before its end', async () => {
      await fillBoth();
      const session = await suite.connection.startSession();
      const out = session.withTransaction(() => suite.things.aggregate([{ $out: target() }], { session }).toArray());
      await expect(out).rejects.toMatchObject({ code: 263 });
      await session.endSession();
      await expect(suite.aggregate({ $out: target() }, { $match: {} })).rejects.toMatchObject({ code: 40601 });
    });
  });

  it('A pipeline joins what is equal, lists and nothing among it', async () => {
    const others = db().collection(`${suite.things.collectionName}-others`);
    await others.insertMany([{ _id: 1, k: 'a' }, { _id: 2, k: ['b', 'c'] }, { _id: 3, k: null }, { _id: 4 }] as never);
    await suite.things.insertMany([{ k: 'a' }, { k: ['a', 'c'] }, { k: null }, {}, { k: 'z' }]);
    const joined = { from: others.collectionName, localField: 'k', foreignField: 'k', as: 'in.it' };
    const found = await suite.aggregate({ $lookup: joined }, { $project: { _id: 0, ids: '$in.it._id' } });
    expect(found).toEqual([[1], [1, 2], [3, 4], [3, 4], []].map((ids) => ({ ids })));
    const narrowed = { ...joined, let: { mine: '$k' }, pipeline: [{ $match: { $expr: { $eq: ['$$mine', '$k'] } } }] };
    const equal = await suite.aggregate({ $lookup: narrowed }, { $match: { 'in.it._id': 1 } });
    expect(equal).toHaveLength(1);
  });

  it.each<[string, object[], number]>([
    ['a stage of two names', [{ $match: {}, $limit: 1 }], 40323],
    ['an unknown stage', [{ $nope: 1 }], 40324],
    ['a match of no document', [{ $match: 5 }], 15959],
    ['a sort by nothing', [{ $sort: {} }], 15976],
    ['a projection of nothing', [{ $project: {} }], 51272],
    ['less than nothing skipped', [{ $skip: -1 }], 5107200],
    ['less than nothing skipped, later', [{ $unwind: '$a' }, { $skip: -1 }], 5107200],
    ['no documents', [{ $limit: 0 }], 15958],
    ['no documents, later', [{ $unwind: '$a' }, { $limit: 0 }], 15958],
    ['a group without an id', [{ $group: { n: { $sum: 1 } } }], 15955],
    ['a path that is none', [{ $unwind: 'a' }], 28818],
    ['an index that is an operator', [{ $unwind: { path: '$a', includeArrayIndex: '$n' } }], 28822],
    ['fields to leave out that are none', [{ $unset: [123] }], 31120],
    ['a join with nobody', [{ $lookup: { from: 'x', as: 'y' } }], 9],
    ['a join from nowhere', [{ $lookup: { localField: 'a', foreignField: 'a', as: 'y' } }], 9],
    ['a join with variables that are none', [{ $lookup: { from: 'x', let: 'v', pipeline: [], as: 'y' } }], 9],
    ['a join with more', [{ $lookup: { from: 'x', localField: 'a', foreignField: 'a', as: 'y', more: 1 } }], 9],
    ['a join by half a field', [{ $lookup: { from: 'x', foreignField: 'a', pipeline: [], as: 'y' } }], 9],
    ['a join by no name', [{ $lookup: { from: 'x', localField: 1, foreignField: 'a', as: 'y' } }], 9],
    ['a join into nothing', [{ $lookup: { from: 'x', localField: 'a', foreignField: 'a', as: '' } }], 9],
    ['a join with a pipeline that is none', [{ $lookup: { from: 'x', pipeline: { $match: {} }, as: 'y' } }], 9],
    ['a union with nobody', [{ $unionWith: 5 }], 9],
    ['a union with a pipeline that is none', [{ $unionWith: { coll: 'x', pipeline: { $match: {} } } }], 14],
    ['a graph without a start', [{ $graphLookup: EDGES }], 40105],
    ['a graph of a filter that is none', [{ $graphLookup: { ...GRAPH, restrictSearchWithMatch: 5 } }], 40185],
    ['a graph with more', [{ $graphLookup: { ...GRAPH, more: 1 } }], 40104],
    ['a graph of no depth', [{ $graphLookup: { ...GRAPH, maxDepth: -1 } }], 40101],
    ['a graph without its edges', [{ $graphLookup: { ...GRAPH, connectToField: undefined } }], 40105],
    ['a group with an operator as its field', [{ $group: { _id: 1, $a: { $sum: 1 } } }], 40236],
    ['a group with a path', [{ $group: { _id: 1, 'a.b': { $sum: 1 } } }], 40235],
    ['a field that is an operator', [{ $project: { $a: '$a' } }], 16410],
    ['a field that is an operator, added', [{ $addFields: { 'a.$b': '$a' } }], 16410],
    ['an unknown expression', [{ $addFields: { x: { $nope: 1 } } }], 168],
    ['an expression of two', [{ $project: { x: { $add: [1, 2], $abs: 1 } } }], 15983],
    ['a path that ends with a dot', [{ $project: { x: '$a.' } }], 40353],
    ['a path without a name', [{ $group: { _id: '$' } }], 16872],
    ['a path into an operator', [{ $replaceWith: { x: '$a.$b' } }], 16410],
    ['a path as the name of a field', [{ $group: { _id: { 'a.b': '$a' } } }], 16412],
    ['a variable that is no expression', [{ $lookup: { from: 'x', let: { v: '$a.' }, pipeline: [], as: 'y' } }], 40353],
    ['a start that is no expression', [{ $graphLookup: { ...GRAPH, startWith: '$a.' } }], 40353],
    ['a filter that is no expression', [{ $match: { $expr: { $eq: ['$a.', 1] } } }], 40353],
    ['a field given twice', [{ $project: { x: { b: 1 }, 'x.b': 1 } }], 31250],
  ])('A pipeline is refused, on nothing too: %s', async (_name, pipeline, code) => {
    await expect(suite.things.aggregate(pipeline).toArray()).rejects.toMatchObject({ code });
    await suite.things.insertOne({ a: 1 });
    await expect(suite.things.aggregate(pipeline).toArray()).rejects.toMatchObject({ code });
  });

  it('The server says what it is', async () => {
    expect(await db().admin().serverInfo()).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), ok: 1 });
    expect(await db().admin().ping()).toMatchObject({ ok: 1 });
    expect(await db().admin().command({ serverStatus: 1 })).toMatchObject({ ok: 1 });
    expect(await db().admin().command({ hostInfo: 1 })).toMatchObject({ system: {}, os: {}, ok: 1 });
    const status = await db().admin().command({ connectionStatus: 1, showPrivileges: true });
    expect(status).toMatchObject({ authInfo: { authenticatedUsers: expect.any(Array) }, ok: 1 });
  });
});
