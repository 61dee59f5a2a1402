import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContractDatabase, isMongodb, openContractDatabase, SERVER } from './embedded-mongodb-contract.js';

type Documents = mongoose.mongo.Collection<Record<string, unknown>>;

describe(`The driver on ${SERVER}`, () => {
  let database: ContractDatabase;
  let connection: Connection;
  let things: Documents;

  beforeAll(async () => {
    database = await openContractDatabase();
    ({ connection } = database);
  });
  beforeEach(async () => {
    things = connection.collection(`things-${randomUUID()}`) as never;
  });
  afterAll(() => database.close());

  const aggregate = (...pipeline: Record<string, unknown>[]) => things.aggregate(pipeline).toArray();
  const valueOf = async (document: Record<string, unknown>, value: unknown) => {
    await things.deleteMany({});
    await things.insertOne({ ...document });
    return (await aggregate({ $project: { _id: 0, value } }))[0];
  };
  const updated = async (document: Record<string, unknown>, update: object, filter: object = {}) => {
    await things.deleteMany({});
    await things.insertOne({ _id: 1, ...document } as never);
    await things.updateOne(filter as never, update as never);
    const { _id, ...found } = (await things.findOne()) as Record<string, unknown>;
    return found;
  };

  describe('A transaction beside a writer that has none', () => {
    /** MongoDB lets the other writer wait, the store lets the later of the two conflict: either way no write is lost. */
    const beside = async (
      inside: (session: mongoose.mongo.ClientSession) => Promise<unknown>,
      outside: () => Promise<unknown>,
    ) => {
      const session = await connection.startSession();
      session.startTransaction();
      await inside(session);
      const other = outside().then(
        () => true,
        () => false,
      );
      await Promise.race([other, pause(500)]);
      const isCommitted = await session.commitTransaction().then(
        () => true,
        (error: mongoose.mongo.MongoServerError) => {
          expect([error.code, error.hasErrorLabel('TransientTransactionError')]).toEqual([112, true]);
          return false;
        },
      );
      await session.endSession();
      return { isCommitted, isOtherDone: await other };
    };

    it('loses no update', async () => {
      await things.insertOne({ _id: 1, n: 0 } as never);
      const { isCommitted, isOtherDone } = await beside(
        (session) => things.updateOne({ _id: 1 as never }, { $inc: { n: 1 } } as never, { session }),
        () => things.updateOne({ _id: 1 as never }, { $inc: { n: 10 } } as never),
      );
      expect((await things.findOne())?.['n']).toBe((isCommitted ? 1 : 0) + (isOtherDone ? 10 : 0));
    });

    it('keeps unique values unique', async () => {
      await things.createIndex({ name: 1 }, { unique: true });
      await beside(
        (session) => things.insertOne({ name: 'x' }, { session }),
        () => things.insertOne({ name: 'x' }),
      );
      expect(await things.countDocuments()).toBe(1);
      expect(await things.find({ name: 'x' }).toArray()).toHaveLength(1);
    });

    it('brings nothing back that was deleted', async () => {
      await things.insertOne({ _id: 1, n: 0 } as never);
      await beside(
        (session) => things.updateOne({ _id: 1 as never }, { $inc: { n: 1 } } as never, { session }),
        () => things.deleteOne({ _id: 1 as never }),
      );
      const found = await things.find().toArray();
      expect(await things.find({ _id: 1 as never }).toArray()).toEqual(found);
      expect(await things.countDocuments()).toBe(found.length);
    });
  });

  it('says at once what a transaction cannot do', async () => {
    await things.insertOne({});
    const session = await connection.startSession();
    const started = performance.now();
    const listing = session.withTransaction(() => things.indexes({ session }));
    await expect(listing).rejects.toMatchObject({ code: 263 });
    expect(performance.now() - started).toBeLessThan(10_000);
    await session.endSession();
  });

  it('takes a batch size of zero for none, first, and for as many as there are, afterwards', async () => {
    await things.insertMany(Array.from({ length: 300 }, (_, n) => ({ n })));
    expect(await things.find().batchSize(0).toArray()).toHaveLength(300);
    expect(await things.aggregate([], { batchSize: 0 }).toArray()).toHaveLength(300);
  });

  it('finds in the order of insertion and of the index, backwards as well', async () => {
    await things.insertMany([3, 1, 2].map((_id) => ({ _id })) as never);
    const ids = async (cursor: { toArray(): Promise<Record<string, unknown>[]> }) =>
      (await cursor.toArray()).map(({ _id }) => _id);
    expect(await ids(things.find().sort({ $natural: -1 }))).toEqual([2, 1, 3]);
    expect(await ids(things.find().hint({ $natural: -1 }))).toEqual([2, 1, 3]);
    expect(await ids(things.find().hint({ $natural: -1 }).sort({ _id: 1 }))).toEqual([1, 2, 3]);
    expect(await ids(things.find({ _id: { $in: [2, 1, 3] } } as never))).toEqual([1, 2, 3]);
  });

  describe('Arrays within arrays', () => {
    it('are one element', async () => {
      await things.insertOne({ a: [[1, 2], 3] });
      expect(await things.countDocuments({ a: { $elemMatch: { $gt: 1, $lt: 3 } } })).toBe(0);
      expect(await things.countDocuments({ a: { $elemMatch: { $eq: [1, 2] } } })).toBe(1);
      expect(await things.countDocuments({ a: { $elemMatch: { $size: 2 } } })).toBe(1);
    });

    it.each([{ $pull: { a: { $gte: 2 } } }, { $pull: { a: { $in: [3, 1] } } }, { $pullAll: { a: [1, 3] } }])(
      'are not pulled for what they hold by %j',
      async (update) => {
        expect(await updated({ a: [[1, 2], 3] }, update)).toEqual({ a: [[1, 2]] });
      },
    );
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
    ])('is refused whether or not there is a document: %j', async (update, code) => {
      await expect(things.updateOne({ a: 'nobody' }, update as never)).rejects.toMatchObject({ code });
    });

    it('refuses array filters that nothing refers to', async () => {
      const update = things.updateOne({}, { $set: { a: 1 } }, { arrayFilters: [{ x: 1 }] });
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

  describe('Expressions', () => {
    it.each([
      [{ u: [1, 7] }, { $eq: ['$u', 1] }, false],
      [{ u: [1] }, { $gt: ['$u', 5] }, true],
      [{ a: 'text' }, { $gt: ['$a', 5] }, true],
      [{ a: 'text' }, { $gt: ['$a', null] }, true],
      [{}, { $eq: ['$m', null] }, false],
      [{}, { $lt: ['$m', null] }, true],
      [{}, { $eq: ['$m', '$n'] }, true],
      [
        {},
        {
          $eq: [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
        },
        false,
      ],
      [{ a: mongoose.mongo.Long.fromString('9007199254740993') }, { $gt: ['$a', 5] }, true],
      [{ a: mongoose.mongo.Decimal128.fromString('10') }, { $gt: ['$a', 9] }, true],
      [{ a: 2 }, { $cmp: ['$a', 3] }, -1],
      [{ a: [1] }, { $in: ['$a', [[1], 2]] }, true],
      [{ a: 1 }, { $in: ['$a', [[1], 2]] }, false],
    ])('compare as BSON does: in %j %j', async (document, expression, expected) => {
      expect(await valueOf(document, expression)).toEqual({ value: expected });
      expect(await things.countDocuments({ $expr: { $eq: [expression, expected] } })).toBe(1);
    });

    const date = (text: string) => new Date(text);
    const id = new mongoose.mongo.ObjectId('66f2a1b3c4d5e6f708192a3b');
    it.each([
      [{ id }, { $toString: '$id' }, '66f2a1b3c4d5e6f708192a3b'],
      [{ n: 1.5 }, { $toString: '$n' }, '1.5'],
      [{ s: id.toHexString() }, { $toObjectId: '$s' }, id],
      [{ id }, { $type: '$id' }, 'objectId'],
      [{ d: mongoose.mongo.Decimal128.fromString('1') }, { $type: '$d' }, 'decimal'],
      [{}, { $year: '$d' }, null],
      [{}, { $dateToString: { date: '$d', format: '%Y', onNull: 'never' } }, 'never'],
      [{ id }, { $year: '$id' }, 2024],
      [{ d: date('2024-03-05') }, { $month: '$d' }, 3],
      [{ d: date('2024-03-05') }, { $dateToString: { date: '$d', format: '%Y-%m-%d' } }, '2024-03-05'],
      [{ d: date('2024-01-31') }, { $dateAdd: { startDate: '$d', unit: 'month', amount: 1 } }, date('2024-02-29')],
      [{ d: date('2024-02-29') }, { $dateAdd: { startDate: '$d', unit: 'year', amount: 1 } }, date('2025-02-28')],
      [
        { d: date('2024-05-31') },
        { $dateSubtract: { startDate: '$d', unit: 'quarter', amount: 1 } },
        date('2024-02-29'),
      ],
      [{ d: date('2024-01-31') }, { $dateAdd: { startDate: '$d', unit: 'day', amount: 1 } }, date('2024-02-01')],
      [{}, { $dateAdd: { startDate: '$d', unit: 'day', amount: 1 } }, null],
    ])('convert values and calculate dates: in %j %j', async (document, expression, expected) => {
      expect(await valueOf(document, expression)).toEqual({ value: expected });
    });

    it('find every match of an expression, empty ones too', async () => {
      const found = await valueOf({ s: 'a1😀22' }, { $regexFindAll: { input: '$s', regex: /(\d+)/ } });
      expect(found).toEqual({
        value: [
          { match: '1', idx: 1, captures: ['1'] },
          { match: '22', idx: 3, captures: ['22'] },
        ],
      });
      const empty = await valueOf({ s: 'abc' }, { $regexFindAll: { input: '$s', regex: '[0-9]*' } });
      expect(empty).toEqual({ value: [0, 1, 2].map((idx) => ({ match: '', idx, captures: [] })) });
    });
  });

  describe('Stages', () => {
    it('put values into buckets by their lower boundaries', async () => {
      await things.insertMany([0, 4, 5, 10, 99].map((v) => ({ v })));
      const boundaries = [0, 5, 10, 15, 20];
      expect(await aggregate({ $bucket: { groupBy: '$v', boundaries, default: 'other' } })).toEqual([
        { _id: 0, count: 2 },
        { _id: 5, count: 1 },
        { _id: 10, count: 1 },
        { _id: 'other', count: 1 },
      ]);
      await expect(aggregate({ $bucket: { groupBy: '$v', boundaries } })).rejects.toThrow();
    });

    it('draw each document once', async () => {
      await things.insertMany(Array.from({ length: 10 }, (_, n) => ({ n })));
      const drawn = await aggregate({ $sample: { size: 10 } });
      expect(new Set(drawn.map(({ n }) => n)).size).toBe(10);
      expect(await aggregate({ $sample: { size: 3 } })).toHaveLength(3);
    });

    it('fill gaps, and window over them', async () => {
      await things.insertMany([{ t: 1, v: 1 }, { t: 2 }, { t: 3, v: 5 }, { t: 4 }]);
      const filled = (method: string) => aggregate({ $fill: { sortBy: { t: 1 }, output: { v: { method } } } });
      expect((await filled('locf')).map(({ v }) => v)).toEqual([1, 1, 5, 5]);
      expect((await filled('linear')).slice(0, 3).map(({ v }) => v)).toEqual([1, 3, 5]);
      const window = { sortBy: { t: 1 }, output: { n: { $sum: 1, window: { documents: ['unbounded', 'current'] } } } };
      expect((await aggregate({ $setWindowFields: window })).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    });

    it('collect what is there, and refuse what has no end', async () => {
      await things.insertMany([{ v: 1 }, {}, { v: null }]);
      expect(await aggregate({ $group: { _id: null, all: { $push: '$v' } } })).toEqual([{ _id: null, all: [1, null] }]);
      await expect(aggregate({ $skip: -1 })).rejects.toThrow();
      await expect(aggregate({ $unwind: 'v' })).rejects.toMatchObject({ code: 28818 });
      await expect(aggregate({ $group: { _id: null, v: '$v' } })).rejects.toMatchObject({ code: 40234 });
      await expect(aggregate({ $densify: { field: 'v', range: { step: 0, bounds: 'full' } } })).rejects.toThrow();
    });
  });

  it('adds and compares decimals exactly', async () => {
    const decimal = (text: string) => mongoose.mongo.Decimal128.fromString(text);
    await things.insertMany([{ p: decimal('1.10') }, { p: decimal('9') }, { p: decimal('10') }, { p: 'none' }]);
    const [found] = await things
      .aggregate([
        { $match: { p: { $type: 'decimal' } } },
        {
          $group: {
            _id: null,
            sum: { $sum: '$p' },
            average: { $avg: '$p' },
            most: { $max: '$p' },
            least: { $min: '$p' },
          },
        },
        { $project: { _id: 0 } },
      ])
      .toArray();
    expect(Object.fromEntries(Object.entries(found ?? {}).map(([name, value]) => [name, String(value)]))).toEqual({
      sum: '20.10',
      average: expect.stringMatching(/^6\.70*$/),
      most: '10',
      least: '1.10',
    });
  });

  it('tells a pattern that is stored from one that is looked for', async () => {
    await things.insertMany([{ s: 'Abc' }, { s: /b/i }]);
    expect(await things.countDocuments({ s: /b/i })).toBe(2);
    expect(await things.countDocuments({ s: { $eq: /b/i } })).toBe(1);
    expect(await things.countDocuments({ s: { $not: /B/ } })).toBe(2);
    expect(await aggregate({ $sort: { s: 1 } }, { $match: { s: { $regex: /aB/i } } })).toHaveLength(1);
  });

  it('refuses what JavaScript reads otherwise than PCRE', async () => {
    await things.insertOne({ s: 'a' });
    if (isMongodb) return;
    for (const pattern of ['^[[:alpha:]]$', 'a\\hb', '\\x{41}', '^[]]$']) {
      await expect(things.countDocuments({ s: { $regex: pattern } })).rejects.toMatchObject({ code: 51091 });
    }
    expect(await things.countDocuments({ s: { $regex: 'a|\\[]|[\\]]' } })).toBe(1);
  });

  it('changes no element for what it is not', async () => {
    await things.insertOne({ a: [{ k: 1 }, { k: 2 }] });
    const update = things.updateOne({ 'a.k': { $ne: 5 } }, { $set: { 'a.$.z': 1 } });
    await expect(update).rejects.toMatchObject({ code: 2 });
  });

  describe('An index', () => {
    it('is refused under the name of another, and twice under two names, but not where it differs', async () => {
      await things.createIndex({ a: 1 });
      await expect(things.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 86 });
      await expect(things.createIndex({ a: 1 }, { name: 'other' })).rejects.toMatchObject({ code: 85 });
      await things.createIndex({ a: 1 }, { name: 'unique', unique: true });
      expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1', 'unique']);
    });
  });
});
