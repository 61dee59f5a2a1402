import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, isMongodb, SERVER } from './embedded-mongodb-contract.js';

const { BSONRegExp } = mongoose.mongo;

describe(`The driver on ${SERVER}`, () => {
  const suite = driverSuite();
  const updated = async (document: Record<string, unknown>, update: object, filter: object = {}) => {
    await suite.things.deleteMany({});
    await suite.things.insertOne({ _id: 1, ...document } as never);
    await suite.things.updateOne(filter as never, update as never);
    const { _id, ...found } = (await suite.things.findOne()) as Record<string, unknown>;
    return found;
  };

  it('takes a batch size of zero for none, first, and for as many as there are, afterwards', async () => {
    await suite.things.insertMany(Array.from({ length: 300 }, (_, n) => ({ n })));
    expect(await suite.things.find().batchSize(0).toArray()).toHaveLength(300);
    expect(await suite.things.aggregate([], { batchSize: 0 }).toArray()).toHaveLength(300);
  });

  it('sorts by several fields of one array as its elements have them, and by none of two arrays', async () => {
    const inOrder = async (sort: Record<string, 1 | -1>) =>
      (await suite.things.find().sort(sort).toArray()).map(({ _id }) => Number(_id));
    await suite.things.insertMany([
      {
        _id: 1,
        a: [
          { x: 1, y: 9 },
          { x: 2, y: 0 },
        ],
      },
      { _id: 2, a: [{ x: 1, y: 5 }] },
      { _id: 3, b: [1] },
    ] as never);
    expect(await inOrder({ 'a.x': 1, 'a.y': 1 })).toEqual([3, 2, 1]);
    expect(await inOrder({ 'a.x': -1, 'a.y': -1 })).toEqual([1, 2, 3]);
    expect(await inOrder({ a: 1, b: -1, _id: 1 })).toEqual([3, 2, 1]);
    await suite.things.insertOne({ _id: 4, a: [1], b: [2] } as never);
    await expect(inOrder({ a: 1, b: 1 })).rejects.toMatchObject({ code: 2 });
  });

  it('finds in the order of insertion and of the index, backwards as well', async () => {
    await suite.things.insertMany([3, 1, 2].map((_id) => ({ _id })) as never);
    const ids = async (cursor: { toArray(): Promise<Record<string, unknown>[]> }) =>
      (await cursor.toArray()).map(({ _id }) => _id);
    expect(await ids(suite.things.find().sort({ $natural: -1 }))).toEqual([2, 1, 3]);
    expect(await ids(suite.things.find().hint({ $natural: -1 }))).toEqual([2, 1, 3]);
    expect(await ids(suite.things.find().hint({ $natural: -1 }).sort({ _id: 1 }))).toEqual([1, 2, 3]);
    expect(await ids(suite.things.find({ _id: { $in: [2, 1, 3] } } as never))).toEqual([1, 2, 3]);
  });

  describe('Arrays within arrays', () => {
    it('are one element', async () => {
      await suite.things.insertOne({ a: [[1, 2], 3] });
      expect(await suite.things.countDocuments({ a: { $elemMatch: { $gt: 1, $lt: 3 } } })).toBe(0);
      expect(await suite.things.countDocuments({ a: { $elemMatch: { $eq: [1, 2] } } })).toBe(1);
      expect(await suite.things.countDocuments({ a: { $elemMatch: { $size: 2 } } })).toBe(1);
    });

    // MongoDB asks operators and patterns about the elements of such an array too, as a filter does.
    it.each<[object, unknown[]]>([
      [{ $pull: { a: { $gte: 2 } } }, []],
      [{ $pull: { a: { $in: [3, 1] } } }, []],
      [{ $pull: { a: { $gte: 1, $ne: 2 } } }, [[1, 2]]],
      [{ $pull: { a: { $eq: [1, 2] } } }, [3]],
      [{ $pull: { a: [1, 2] } }, [3]],
      [{ $pull: { a: 1 } }, [[1, 2], 3]],
      [{ $pullAll: { a: [1, 3] } }, [[1, 2]]],
    ])('are pulled for what they hold by operators, and not by values: %j', async (update, a) => {
      expect(await updated({ a: [[1, 2], 3] }, update)).toEqual({ a });
    });
  });

  it('pulls documents that meet one of several conditions', async () => {
    const a = [{ k: 1 }, { k: 2 }, { k: 3 }, 1, [{ k: 1 }]];
    for (const [operand, left] of [
      [{ $or: [{ k: 1 }, { k: 3 }] }, [{ k: 2 }, 1, [{ k: 1 }]]],
      [{ $and: [{ k: { $gt: 1 } }, { k: { $lt: 3 } }] }, [{ k: 1 }, { k: 3 }, 1, [{ k: 1 }]]],
      [{ k: { $in: [1, 2] } }, [{ k: 3 }, 1, [{ k: 1 }]]],
    ])
      expect(await updated({ a }, { $pull: { a: operand } })).toEqual({ a: left });
  });

  describe('An update', () => {
    it.each([
      [{ $set: { a: 1 }, $inc: { a: 1 } }, 40],
      [{ $inc: { a: 'x' } }, 14],
      [{ $pop: { a: 3 } }, 9],
      [{ $push: { a: { $each: 5 } } }, 2],
      [{ $set: { '': 1 } }, 56],
      [{ $set: { 'a.$[x]': 1 } }, 2],
      [{ $currentDate: { a: 'x' } }, 2],
      [{ $rename: { a: 5 } }, 2],
      [{ $rename: { a: 'a' } }, 2],
      [{ $rename: { a: 'a.b' } }, 2],
      [{ $rename: { a: 'b' }, $set: { b: 1 } }, 40],
    ])('is refused whether or not there is a document: %j', async (update, code) => {
      await expect(suite.things.updateOne({ a: 'nobody' }, update as never)).rejects.toMatchObject({ code });
    });

    it('refuses array filters that nothing refers to', async () => {
      const update = suite.things.updateOne({}, { $set: { a: 1 } }, { arrayFilters: [{ x: 1 }] });
      await expect(update).rejects.toMatchObject({ code: 9 });
    });

    it.each([{ 'a.0.k': 'z' }, { z: 'a.0.y' }])('moves nothing out of an array or into it: %j', async ($rename) => {
      await expect(updated({ a: [{ k: 1 }], z: 1 }, { $rename })).rejects.toMatchObject({ code: 2 });
    });

    it('refuses an array filter of two names', async () => {
      const options = { arrayFilters: [{ 'x.k': 1, 'y.k': 1 }] };
      const update = suite.things.updateOne({}, { $set: { 'a.$[x].z': 1 } }, options);
      await expect(update).rejects.toMatchObject({ code: 9 });
    });

    it('adds new fields in the order of their names', async () => {
      expect(Object.keys(await updated({}, { $set: { z: 1, y: 2 }, $inc: { b: 3 } }))).toEqual(['b', 'y', 'z']);
    });

    it('by a pipeline changes fields of embedded documents and of elements, and nothing beside them', async () => {
      expect(await updated({ a: { x: 1 } }, [{ $set: { a: { y: 2 } } }])).toEqual({ a: { x: 1, y: 2 } });
      expect(await updated({ a: [{ x: 1 }, 2] }, [{ $set: { 'a.y': '$n' } }])).toEqual({ a: [{ x: 1 }, {}] });
      expect(await updated({ n: 7, a: [{ x: 1 }] }, [{ $set: { 'a.y': '$n' } }])).toEqual({
        n: 7,
        a: [{ x: 1, y: 7 }],
      });
      expect(await updated({ s: 5 }, [{ $addFields: { 's.b': 1 } }])).toEqual({ s: { b: 1 } });
      expect(await updated({ s: 5, t: 1 }, [{ $set: { s: '$$REMOVE' } }])).toEqual({ t: 1 });
    });
  });

  it('tells a pattern that is stored from one that is looked for', async () => {
    await suite.things.insertMany([{ s: 'Abc' }, { s: /b/i }]);
    expect(await suite.things.countDocuments({ s: /b/i })).toBe(2);
    expect(await suite.things.countDocuments({ s: { $eq: /b/i } })).toBe(1);
    expect(await suite.things.countDocuments({ s: { $not: /B/ } })).toBe(2);
    expect(await suite.aggregate({ $sort: { s: 1 } }, { $match: { s: { $regex: /aB/i } } })).toHaveLength(1);
  });

  it('takes an emoji for one character, and what need not be escaped for itself', async () => {
    await suite.things.insertMany([{ s: '😀' }, { s: 'a@b-c' }]);
    const found = (pattern: string, options = '') =>
      suite.things.countDocuments({ s: new BSONRegExp(pattern, options) });
    expect(await found('^.$')).toBe(1);
    expect(await found('^[😀]$')).toBe(1);
    expect(await found('^A\\@B\\-c$', 'i')).toBe(1);
    for (const pattern of [
      "^[\\p{L}\\@\\'\\-]+$",
      '^[\\p{L}\\_@-]+$',
      '^[.*+?^${}()|[\\]\\\\a-c@-]+$',
      '\\@+b\\-*c+$',
    ]) {
      expect([pattern, await found(pattern)]).toEqual([pattern, 1]);
    }
    const [first] = await suite.aggregate({ $project: { at: { $regexFind: { input: '$s', regex: '.$' } } } });
    expect(first?.['at']).toEqual({ match: '😀', idx: 0, captures: [] });
  });

  it('refuses what JavaScript reads otherwise than PCRE', async () => {
    await suite.things.insertOne({ s: 'a' });
    if (isMongodb) return;
    const unknown = ['^[[:alpha:]]$', '[a-z[:digit:]]', 'a\\hb', '\\x{41}', '^[]]$', '\\pL', '\\p{Han}', '\\ea', 'a*+'];
    for (const pattern of unknown) {
      await expect(suite.things.countDocuments({ s: { $regex: pattern } })).rejects.toMatchObject({ code: 51091 });
    }
    expect(await suite.things.countDocuments({ s: { $regex: 'a|\\[]|[\\]]' } })).toBe(1);
  });

  it('refuses a collation that it cannot follow', async () => {
    await suite.things.insertOne({ s: 'a-b' });
    const found = (collation: object) => suite.things.find({ s: 'ab' }, { collation: collation as never }).toArray();
    await expect(found({ locale: 'en', strength: 9 })).rejects.toThrow();
    if (isMongodb) return;
    for (const option of [{ caseLevel: true }, { caseFirst: 'upper' }, { alternate: 'shifted' }, { backwards: true }]) {
      await expect(found({ locale: 'en', ...option })).rejects.toThrow('use MongoDB for it');
    }
  });

  it('keeps apart, in order and unique what is neither text nor number', async () => {
    const { Code, DBRef, Int32, MaxKey, MinKey, ObjectId, Timestamp } = mongoose.mongo;
    const id = new ObjectId('66f2a1b3c4d5e6f708192a3b');
    const ordered = [
      new MinKey(),
      null,
      5,
      'text',
      { a: 1 },
      new DBRef('people', id),
      new mongoose.mongo.Binary(Buffer.from('x')),
      id,
      false,
      new Date(0),
      new Timestamp({ t: 1, i: 1 }),
      new Timestamp({ t: 1, i: 2 }),
      new BSONRegExp('a', 'i'),
      new Code('f()'),
      new Code('f()', { n: new Int32(1) }),
      new MaxKey(),
    ];
    await suite.things.createIndex({ v: 1 }, { unique: true });
    await suite.things.insertMany(ordered.map((v, _id) => ({ _id, v })).toReversed() as never);
    const places = async (filter: object) =>
      (await suite.things.find(filter, { sort: { v: 1 } }).toArray()).map(({ _id }) => Number(_id));
    expect(await places({})).toEqual(ordered.map((_v, place) => place));
    for (const [place, v] of ordered.entries()) expect(await places({ v: { $eq: v } })).toEqual([place]);
    for (const v of ordered) await expect(suite.things.insertOne({ v })).rejects.toMatchObject({ code: 11000 });
  });

  it('refuses results that no document can hold', async () => {
    await suite.things.insertMany([1, 2].map((n) => ({ s: String(n).repeat(10_000_000) })));
    const tooLarge = { code: isMongodb ? expect.any(Number) : 10334 };
    await expect(suite.aggregate({ $group: { _id: null, all: { $push: '$s' } } })).rejects.toMatchObject(tooLarge);
    await expect(suite.things.distinct('s')).rejects.toMatchObject(tooLarge);
  });

  it.each([
    [{ $and: [{ s: 'x' }, { a: 2 }] }, [1, 9, 2]],
    [{ a: { $elemMatch: { $gte: 2 } } }, [1, 9, 2]],
    [{ s: 'x', a: { $in: [1] } }, [9, 2, 2]],
  ])('changes the element that %j found', async (filter, a) => {
    expect(await updated({ s: 'x', a: [1, 2, 2] }, { $set: { 'a.$': 9 } }, filter)).toEqual({ s: 'x', a });
  });

  it('changes no element for what it is not', async () => {
    await suite.things.insertOne({ a: [{ k: 1 }, { k: 2 }] });
    const update = suite.things.updateOne({ 'a.k': { $ne: 5 } }, { $set: { 'a.$.z': 1 } });
    await expect(update).rejects.toMatchObject({ code: 2 });
  });

  describe('An index', () => {
    it.each([
      [mongoose.mongo.Long.fromString('9007199254740993'), '9007199254740993'],
      [mongoose.mongo.Decimal128.fromString('1.50'), '1.50'],
      [new mongoose.mongo.UUID('00112233-4455-6677-8899-aabbccddeeff'), 'UUID("00112233-4455-6677-8899-aabbccddeeff")'],
      [new mongoose.mongo.Double(1), '1.0'],
      [{ a: 1, b: 'x' }, '{ a: 1, b: "x" }'],
    ])('names the value that is taken: %j', async (v, shown) => {
      await suite.things.createIndex({ v: 1 }, { unique: true });
      await suite.things.insertOne({ v });
      await expect(suite.things.insertOne({ v })).rejects.toThrow(`dup key: { v: ${shown} }`);
    });

    it('is partial by its own collation, and leads no query in another', async () => {
      const insensitive = { collation: { locale: 'en', strength: 2 } };
      await suite.things.createIndex({ n: 1 }, { partialFilterExpression: { s: 'A' } });
      await suite.things.insertMany([
        { n: 1, s: 'A' },
        { n: 1, s: 'a' },
      ]);
      expect(await suite.things.find({ n: 1, s: 'A' }, insensitive).toArray()).toHaveLength(2);
      await suite.things.deleteMany({});
      const unique = { ...insensitive, name: 'u', unique: true, partialFilterExpression: { s: 'A' } };
      await suite.things.createIndex({ n: 1 }, unique);
      await suite.things.insertOne({ n: 1, s: 'A' });
      await expect(suite.things.insertOne({ n: 1, s: 'a' })).rejects.toMatchObject({ code: 11000 });
    });

    it('of another lifetime is another', async () => {
      await suite.things.createIndex({ at: 1 }, { expireAfterSeconds: 5 });
      await expect(suite.things.createIndex({ at: 1 }, { expireAfterSeconds: 6 })).rejects.toMatchObject({ code: 85 });
      expect(await suite.things.createIndex({ at: 1 }, { expireAfterSeconds: 5 })).toBe('at_1');
    });

    it('is refused under the name of another, and twice under two names, but not where it differs', async () => {
      await suite.things.createIndex({ a: 1 });
      await expect(suite.things.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 86 });
      await expect(suite.things.createIndex({ a: 1 }, { name: 'other' })).rejects.toMatchObject({ code: 85 });
      await suite.things.createIndex({ a: 1 }, { name: 'unique', unique: true });
      expect((await suite.things.indexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1', 'unique']);
    });
  });
});
