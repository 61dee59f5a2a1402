import { describe, expect, it } from 'vitest';
import { driverSuite, type Fields, mongoose, SERVER } from './embedded-mongodb-contract.js';

const { Decimal128, Long, Timestamp } = mongoose.mongo;
const decimal = (text: string) => Decimal128.fromString(text);
const long = (text: string) => Long.fromString(text);

/** Where an approximation of MongoDB would go unnoticed. */
describe(`Details of ${SERVER}`, () => {
  const suite = driverSuite();
  const matches = async (n: unknown, condition: Fields) => {
    await suite.things.insertOne({ n });
    return (await suite.things.countDocuments({ n: condition })) === 1;
  };

  it.each<[unknown, unknown[], boolean]>([
    [long('1234567890123456789'), [10, 9], true],
    [long('9223372036854775807'), [3, 1], true],
    [long('9223372036854775807'), [3, 2], false],
    [long('-9223372036854775808'), [10, -8], true],
    [2 ** 60, [1000, 976], true],
    [2 ** 60, [1024, 0], true],
    [-(2 ** 63), [2, 0], true],
    [2 ** 63, [2, 0], false],
    [5.9, [5, 0], true],
    [-7, [3, -1], true],
    [Decimal128.fromString('7.99'), [4, 3], true],
    [7, [Decimal128.fromString('4.5'), 3.9], true],
    [1e19, [10, 0], false],
    [Infinity, [2, 0], false],
    [Decimal128.fromString('1E+30'), [10, 0], false],
    [Decimal128.fromString('NaN'), [10, 0], false],
    [new Timestamp({ t: 0, i: 4 }), [2, 0], false],
  ])('%s: $mod %j has whole numbers of 64 bits', async (n, $mod, isMatch) => {
    expect(await matches(n, { $mod })).toBe(isMatch);
  });

  it.each<[unknown, Fields, boolean]>([
    [long('9223372036854775807'), { $bitsAllSet: [62] }, true],
    [2 ** 62, { $bitsAllSet: [62] }, true],
    [2 ** 60, { $bitsAllClear: [3, 4] }, true],
    [-(2 ** 63), { $bitsAllSet: [63] }, true],
    [2 ** 64, { $bitsAllClear: [0] }, false],
    [Decimal128.fromString('9007199254740993.5'), { $bitsAllSet: [0] }, false],
    [Decimal128.fromString('9007199254740993'), { $bitsAllSet: [0] }, true],
    [-1, { $bitsAllSet: [200] }, true],
    [1.5, { $bitsAllSet: [0] }, false],
    [new Timestamp({ t: 0, i: 1 }), { $bitsAllSet: [0] }, false],
  ])('%s: %j', async (n, condition, isMatch) => {
    expect(await matches(n, condition)).toBe(isMatch);
  });

  it('keeps sets in order', async () => {
    const value = async (expression: Fields) => suite.valueOf({ a: [3, 1, 'b', 3] }, expression);
    expect(await value({ $setUnion: ['$a', [2, 'a', null]] })).toEqual([null, 1, 2, 3, 'a', 'b']);
    expect(await value({ $setUnion: ['$a', []] })).toEqual([1, 3, 'b']);
    expect(await value({ $setIntersection: ['$a', ['b', 3, 7]] })).toEqual([3, 'b']);
    expect(await value({ $setDifference: ['$a', ['b']] })).toEqual([3, 1]);
  });

  it('numbers what it unwinds by a long', async () => {
    await suite.things.insertOne({ a: ['x'] });
    const unwound = { $unwind: { path: '$a', includeArrayIndex: 'i' } };
    expect(await suite.aggregate(unwound, { $project: { _id: 0, i: { $type: '$i' } } })).toEqual([{ i: 'long' }]);
  });

  it.each([
    { $convert: { input: '$none', to: 'int', onNull: '$none' } },
    { $dateToString: { date: '$none', onNull: '$none' } },
    { $dateFromString: { dateString: '$none', onNull: '$none' } },
  ])('leaves out what has nothing, and nothing in place of that: %j', async (value) => {
    expect(await suite.over([{ a: 1 }], { $project: { value } })).toEqual([{}]);
    const [[name = '', operand]] = Object.entries(value) as [[string, Fields]];
    const { onNull, ...others } = operand;
    expect(onNull).toBe('$none');
    expect(await suite.over([{ a: 1 }], { $project: { value: { [name]: others } } })).toEqual([{ value: null }]);
  });

  it.each<[Fields, Fields]>([
    [{ q: { $in: [{ y: 2 }] } }, { q: { y: 2 } }],
    [{ q: { $all: [{ y: 2 }] } }, { q: { y: 2 } }],
    [{ q: { $all: [2], $in: [1, 2] } }, { q: 2 }],
    [
      { q: { y: 2 }, 'r.s': 1, 'r.t': 2 },
      { q: { y: 2 }, r: { s: 1, t: 2 } },
    ],
    [{ q: { $all: [/a/, 'a'] } }, { q: 'a' }],
    [{ q: { $eq: 2, $all: [2, 2] } }, { q: 2 }],
    [{ q: { $in: [2, 2] } }, { q: 2 }],
    [
      { q: 2, $and: [{ q: 2 }, { r: { $in: [1] } }] },
      { q: 2, r: 1 },
    ],
    [{ $or: [{ q: 2 }, { q: 2 }] }, { q: 2 }],
    [{ $or: [{ q: 2 }, { q: 3 }] }, {}],
    [{ q: { $in: [1, 2] } }, {}],
    [{ q: { $in: [/a/] } }, {}],
    [{ q: { $all: [{ $elemMatch: { a: 1 } }] } }, {}],
  ])('takes into a new document what only %j can mean', async (filter, seed) => {
    await suite.things.updateOne(filter, { $set: { z: 9 } }, { upsert: true });
    expect(await suite.things.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ ...seed, z: 9 }]);
  });

  it.each<[Fields]>([
    [{ q: { $all: [1, 2] } }],
    [{ q: { y: 1 }, 'q.z': 1 }],
    [{ $and: [{ 'q.z': 1 }, { q: { y: 1 } }] }],
  ])('makes no document that its own filter %j would not find', async (filter) => {
    const upsert = suite.things.updateOne(filter, { $set: { z: 9 } }, { upsert: true });
    await expect(upsert).rejects.toMatchObject({ code: 54 });
    expect(await suite.things.countDocuments()).toBe(0);
  });

  it.each<[Fields, number]>([
    [{ '_id.x': 1, '_id.y': 2 }, 111],
    [{ _id: { x: 1 }, '_id.x': 1 }, 111],
  ])('replaces nothing by a document with a part of an _id: %j', async (filter, code) => {
    await expect(suite.things.replaceOne(filter, { z: 9 }, { upsert: true })).rejects.toMatchObject({ code });
    expect(await suite.things.countDocuments()).toBe(0);
  });

  it.each([
    [{ $regex: /X/i }, 1],
    [{ $regex: 'X', $options: 'i' }, 1],
    [{ $regex: /X/, $options: 'i' }, 1],
    [{ $options: '', $regex: /X/i }, 1],
    [{ $not: { $options: '', $regex: /X/i } }, 0],
    [{ $elemMatch: { $options: '', $regex: /X/i } }, 1],
  ])('finds by the options of an expression, within it or beside it: %j', async (condition, count) => {
    await suite.things.insertOne({ a: ['x'] });
    expect(await suite.things.countDocuments({ a: condition })).toBe(count);
  });

  it.each([
    { $regex: /X/, $options: 'i' },
    { $options: 'i', $regex: 'X' },
    { $options: '', $regex: /X/i },
  ])('changes the element that %j finds', async (condition) => {
    await suite.things.insertOne({ a: ['y', 'x'] });
    await suite.things.updateOne({ a: condition }, { $set: { 'a.$': 'found' } });
    expect(await suite.things.findOne({}, { projection: { _id: 0 } })).toEqual({ a: ['y', 'found'] });
  });

  it.each<[Fields, number]>([
    [{ $regex: /x/i, $options: '' }, 51075],
    [{ $regex: /x/i, $options: 'i' }, 51075],
    [{ $options: 's', $regex: /x/i }, 51074],
    [{ $not: { $regex: /x/i, $options: 'i' } }, 51075],
    [{ $regex: 'x', $options: 1 }, 2],
  ])('does not choose between the options of an expression and those beside it: %j', async (condition, code) => {
    await expect(suite.things.countDocuments({ a: condition })).rejects.toMatchObject({ code });
  });

  it.each(['my_el', 'El', '1st'])('has no array filter with the name %s', async (name) => {
    const update = { $set: { [`a.$[${name}]`]: 3 } };
    const arrayFilters = [{ [name]: 1 }];
    await expect(suite.things.updateOne({}, update, { arrayFilters })).rejects.toMatchObject({ code: 2 });
  });

  it('takes an empty hint for none', async () => {
    await suite.things.insertOne({ a: 1 });
    expect(await suite.things.find({ a: 1 }, { hint: {} }).toArray()).toHaveLength(1);
    expect((await suite.things.updateOne({ a: 1 }, { $set: { b: 1 } }, { hint: {} })).modifiedCount).toBe(1);
  });

  it.each<[Fields, number]>([
    [{ date: '$none', format: '%q' }, 18536],
    [{ date: null, format: 7 }, 18533],
    [{ date: null, timezone: 'Nowhere' }, 40485],
  ])('notices without a date what is wrong about its text: %j', async (operand, code) => {
    const text = suite.over([{}], { $project: { text: { $dateToString: operand } } });
    await expect(text).rejects.toMatchObject({ code });
  });

  it.each([
    [{ timezone: '+00:00' }, '2026-03-01T12:00:00.000Z'],
    [{ timezone: '+01:00' }, '2026-03-01T13:00:00.000'],
    [{ timezone: null }, null],
    [{ format: null }, null],
  ])('writes a date of %j as %s', async (operand, text) => {
    const date = new Date('2026-03-01T12:00:00Z');
    const stage = { $project: { _id: 0, text: { $dateToString: { date, ...operand } } } };
    expect(await suite.over([{}], stage)).toEqual([{ text }]);
  });

  it.each(['$indexOfBytes', '$indexOfCP'])('%s finds nothing, and not even no text, past the end', async (name) => {
    const at = (start: number): Fields => ({ [name]: ['abc', '', start] });
    const stage = { $project: { _id: 0, within: at(3), past: at(4) } };
    expect(await suite.over([{}], stage)).toEqual([{ within: 3, past: -1 }]);
  });

  it.each([{ $let: { vars: { CURRENT: '$$ROOT.a' }, in: '$b' } }, { $map: { input: [1], as: 'CURRENT', in: 1 } }])(
    'has no variable CURRENT of one’s own, which MongoDB has: %j',
    async (value) => {
      const error = await suite.over([{}], { $project: { value } }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 16867, message: expect.stringContaining('MongoDB') });
    },
  );

  describe('of two indexes over the same fields', () => {
    const key = { a: 1 } as const;
    const build = async () => {
      await suite.things.insertMany([{ a: 1 }, { a: 7 }]);
      await suite.things.createIndex(key, { name: 'some', partialFilterExpression: { a: { $gt: 5 } } });
      await suite.things.createIndex(key, { name: 'all' });
    };

    it('take none for a hint that does not say which', async () => {
      await build();
      await expect(suite.things.find({ a: 1 }, { hint: key }).toArray()).rejects.toMatchObject({ code: 27 });
      await expect(suite.things.deleteMany({ a: 1 }, { hint: key })).rejects.toMatchObject({ code: 27 });
      expect(await suite.things.find({ a: 1 }, { hint: 'all' }).toArray()).toHaveLength(1);
    });

    it('drop none that is not named', async () => {
      await build();
      await expect(suite.things.dropIndex(key as never)).rejects.toMatchObject({ code: 181 });
      await suite.things.dropIndex('some');
      await suite.things.dropIndex(key as never);
      expect(await suite.things.indexes()).toHaveLength(1);
    });
  });

  it('has one index over ids, with the collation of its collection', async () => {
    const create = (collation: { locale: string }) => suite.things.createIndex({ _id: 1 }, { collation });
    await expect(create({ locale: 'fr' })).rejects.toMatchObject({ code: 2 });
    await create({ locale: 'simple' });
    expect(await suite.things.indexes()).toHaveLength(1);
  });

  it.each<[string, unknown, number]>([
    ['$add', 'x', 14],
    ['$multiply', 'x', 14],
    ['$concat', 1, 16702],
    ['$concatArrays', 1, 28664],
    ['$setUnion', 1, 17043],
  ])('%s notices what is wrong before it comes to what is missing', async (name, wrong, code) => {
    const value = (...operands: unknown[]) => suite.over([{}], { $project: { _id: 0, value: { [name]: operands } } });
    await expect(value({ $literal: wrong }, '$none')).rejects.toMatchObject({ code });
    expect(await value('$none', { $literal: wrong })).toEqual([{ value: null }]);
  });

  it.each<[Record<string, string | number>, number]>([
    [{ a: 'hashed', b: 'hashed' }, 31303],
    [{ $db: 1 }, 67],
  ])('has no index over %j', async (key, code) => {
    await expect(suite.things.createIndex(key as Record<string, 1>)).rejects.toMatchObject({ code });
  });

  it.each<[Fields, unknown]>([
    [{ $multiply: [{ $add: [0.1, 0.2] }, decimal('1')] }, '0.300000000000000'],
    [{ $multiply: [10.2, decimal('1232')] }, '12566.4000000000000'],
    [{ $add: [0.1, decimal('1')] }, '1.100000000000000'],
    [{ $subtract: [decimal('1'), 0.1] }, '0.900000000000000'],
    [{ $divide: [decimal('1'), 0.5] }, '2'],
    [{ $add: [2, decimal('1.50')] }, '3.50'],
    [{ $sum: [0.1, 0.2, decimal('1')] }, '1.300000000000000016653345369377348'],
  ])('takes a double for as many digits as MongoDB does beside a decimal: %j', async (expression, value) => {
    expect(String(await suite.valueOf({}, expression))).toBe(value);
  });

  it('leaves the other fields where they are beside a slice', async () => {
    await suite.things.insertOne({ a: [1, 2], b: 22, c: [1, 2] });
    const shown = (projection: Fields) => suite.things.findOne({}, { projection: { _id: 0, ...projection } });
    const c = { $elemMatch: { $gt: 1 } };
    expect(await shown({ a: { $slice: 1 }, c })).toEqual({ a: [1], b: 22, c: [2] });
    expect(await shown({ c })).toEqual({ c: [2] });
    expect(await shown({ a: { $slice: 1 }, c: 1 })).toEqual({ a: [1], c: [1, 2] });
    await expect(shown({ 'a.$': { $slice: 1 } })).rejects.toMatchObject({ code: 31271 });
  });

  it('refuses an expression in the filter of an upsert, whether or not there is a document', async () => {
    const $expr = { $eq: ['$n', 1] };
    for (const filter of [
      { $expr },
      { n: 1, $and: [{ n: 1 }, { $or: [{ $expr }] }] },
      { $nor: [{ $expr }] },
    ] as Fields[]) {
      const upsert = () => suite.things.updateOne(filter, { $set: { z: 1 } }, { upsert: true });
      await expect(upsert()).rejects.toMatchObject({ code: 224 });
      await suite.things.insertOne({ n: 1 });
      await expect(upsert()).rejects.toMatchObject({ code: 224 });
      await suite.things.deleteMany({});
    }
    const malformed = suite.things.updateOne({ $and: 5 } as Fields, { $set: { z: 1 } }, { upsert: true });
    await expect(malformed).rejects.toMatchObject({ code: 2 });
    await suite.things.insertOne({ n: 1 });
    expect(await suite.things.updateOne({ $expr }, { $set: { z: 1 } })).toMatchObject({ modifiedCount: 1 });
  });

  it('lets variables of a command use those before them, and have nothing', async () => {
    await suite.things.insertOne({ n: 3 });
    const options = { let: { a: 1, b: { $add: ['$$a', 2] }, none: '$$b.x' } };
    const pipeline = [{ $match: { $expr: { $eq: ['$n', '$$b'] } } }, { $project: { _id: 0, n: 1, none: '$$none' } }];
    expect(await suite.things.aggregate(pipeline, options).toArray()).toEqual([{ n: 3 }]);
    const early = suite.things.aggregate(pipeline, { let: { b: '$$a', a: 1 } }).toArray();
    await expect(early).rejects.toMatchObject({ code: 17276 });
  });
});
