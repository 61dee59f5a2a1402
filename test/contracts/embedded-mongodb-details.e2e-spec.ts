import { describe, expect, it } from 'vitest';
import { driverSuite, type Fields, mongoose, SERVER } from './embedded-mongodb-contract.js';

const { Decimal128, Long, Timestamp } = mongoose.mongo;
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
    [{ q: { $in: [1, 2] } }, {}],
    [{ q: { $in: [/a/] } }, {}],
    [{ q: { $all: [{ $elemMatch: { a: 1 } }] } }, {}],
  ])('takes into a new document what only %j can mean', async (filter, seed) => {
    await suite.things.updateOne(filter, { $set: { z: 9 } }, { upsert: true });
    expect(await suite.things.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ ...seed, z: 9 }]);
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
