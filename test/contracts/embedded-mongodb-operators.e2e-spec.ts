import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

const { Decimal128, Double, Int32, Long, ObjectId, Timestamp } = mongoose.mongo;
const date = (text: string) => new Date(`${text}Z`);
/** Of a $switch: as a text, since no object that is written down here may be taken for a promise. */
const branch = (condition: string, result: number) =>
  JSON.parse(`{"case":${JSON.stringify(condition)},"then":${result}}`) as Fields;

describe(`Operators of aggregations on ${SERVER}`, () => {
  const suite = driverSuite();
  const { valueOf } = suite;
  const grouped = async (documents: Fields[], accumulator: unknown) => {
    const [found] = await suite.over(documents, { $group: { _id: null, value: accumulator } });
    return found?.['value'];
  };

  it('keep and make the types of numbers that BSON has', async () => {
    const typed = [new Int32(1), Long.fromNumber(1), new Double(1), Decimal128.fromString('1')];
    const types = async (expression: unknown) => {
      const [found] = await suite.over(
        [{ typed }],
        { $set: { typed: expression } },
        { $project: { types: { $map: { input: '$typed', in: { $type: '$$this' } } } } },
      );
      return found?.['types'];
    };
    const sums = (other: unknown) => types({ $map: { input: '$typed', in: { $add: ['$$this', other] } } });
    expect(await types('$typed')).toEqual(['int', 'long', 'double', 'decimal']);
    expect(await sums({ $toInt: 1 })).toEqual(['int', 'long', 'double', 'decimal']);
    expect(await sums({ $toLong: 1 })).toEqual(['long', 'long', 'double', 'decimal']);
    expect(await sums({ $toDouble: 1 })).toEqual(['double', 'double', 'double', 'decimal']);
    expect(await sums(2 ** 31 - 1)).toEqual(['long', 'long', 'double', 'decimal']);
    expect(
      await types([{ $divide: [4, 2] }, { $round: [{ $toDouble: 2 }] }, { $sum: '$typed' }, { $avg: [1] }]),
    ).toEqual(['double', 'double', 'decimal', 'double']);
    await suite.things.updateMany({}, [{ $set: { again: '$typed', first: { $first: '$typed' } } }]);
    expect(await suite.things.countDocuments({ again: { $type: 'long' }, typed: { $type: 'decimal' } })).toBe(1);
    expect(await suite.things.countDocuments({ $expr: { $eq: [{ $type: { $last: '$again' } }, 'decimal'] } })).toBe(1);
  });

  it('lose no field of a document for one that is missing', async () => {
    await suite.things.insertOne({ profile: { nick: 'joe', age: 5 } });
    await suite.things.updateMany({}, [
      { $set: { profile: { $mergeObjects: ['$profile', { nick: '$newNick', seen: true }] } } },
    ]);
    expect((await suite.things.findOne({}))?.['profile']).toEqual({ nick: 'joe', age: 5, seen: true });
  });

  const orders = {
    a: [1, 2],
    l: [10, 20],
    rows: [{ v: [1, 2, 3] }, { v: [4, 5] }],
    m: [
      [1, 9],
      [3, 4],
    ],
    k: 5,
  };
  it.each<[Fields, unknown, unknown]>([
    // Objects and arrays that are written down.
    [{}, { $objectToArray: { a: '$nope', b: 1 } }, [{ k: 'b', v: 1 }]],
    [{}, { $setField: { field: 'a', input: { a: 1, b: 2 }, value: { $cond: [true, '$$REMOVE', 1] } } }, { b: 2 }],
    [{ o: { 'a.b': 1, $c: 2 } }, { $unsetField: { field: { $literal: '$c' }, input: '$o' } }, { 'a.b': 1 }],
    [{}, { $in: [null, ['$nope', 1]] }, true],
    [{ a: 1 }, ['$a', '$nope'], [1, null]],
    [{ a: 1 }, { $filter: { input: ['$a', '$b'], cond: { $ne: ['$$this', null] } } }, [1]],
    [{ a: [1] }, { $map: { input: '$a', in: '$$this.x' } }, [null]],
    [{ name: 'x' }, { $getField: { field: 'name', input: '$owner' } }, undefined],
    [
      { name: 'x', o: { name: 'y' } },
      [{ $getField: { field: 'name', input: '$o' } }, { $getField: 'name' }],
      ['y', 'x'],
    ],
    // Variables of one inside another.
    [
      orders,
      { $map: { input: '$a', in: { $reduce: { input: '$l', initialValue: 0, in: { $add: ['$$value', '$$this'] } } } } },
      [30, 30],
    ],
    [
      orders,
      { $reduce: { input: '$m', initialValue: [], in: { $concatArrays: ['$$value', [{ $sum: ['$k', 2] }]] } } },
      [7, 7],
    ],
    [orders, { $reduce: { input: '$m', initialValue: 0, in: { $max: ['$$value', { $max: '$$this' }] } } }, 9],
    [orders, { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$CURRENT.k'] } } }, 10],
    // The ends of arrays.
    [{ a: [[1, 2], [3]] }, [{ $first: '$a' }, { $last: '$a' }, { $last: ['$a'] }], [[1, 2], [3], [3]]],
    [{ a: [] }, { $last: '$a' }, undefined],
    // What counts as true.
    [{ s: '' }, { $not: ['$s'] }, false],
    [{ d: Decimal128.fromString('0') }, { $cond: ['$d', 1, 2] }, 2],
    [{ n: NaN }, [{ $and: ['$n'] }, { $or: '$n' }], [true, true]],
    // Numbers.
    [{ a: Array(10).fill(0.1) }, [{ $sum: '$a' }, { $avg: '$a' }], [1, 0.1]],
    [{ a: [1e16, 1, -1e16] }, { $sum: '$a' }, 1],
    [{ n: Long.fromString('9007199254740993') }, { $eq: [{ $add: ['$n', 0] }, '$n'] }, true],
    // A list of one, or a path to a list.
    [{ a: [1, 2, 3] }, { $reverseArray: ['$a'] }, [3, 2, 1]],
    [{ a: [1], n: 4 }, [{ $type: ['$a'] }, { $isNumber: ['$n'] }, { $sqrt: ['$n'] }], ['array', true, 2]],
    [{ d: date('2024-03-05T00:00') }, [{ $year: ['$d'] }, { $month: '$d' }], [2024, 3]],
    [{ a: [[1], [2]] }, { $concatArrays: '$a' }, [[1], [2]]],
    [{ s: 'x' }, [{ $concat: '$s' }, { $strLenCP: ['$s'] }], ['x', 1]],
    // Order and sets as BSON has them.
    [{}, { $sortArray: { input: [[3, 1], [2, 9], [1]], sortBy: 1 } }, [[1], [2, 9], [3, 1]]],
    [{}, { $sortArray: { input: [{ v: 1 }, { v: 3 }, { v: 2 }], sortBy: { v: -1 } } }, [{ v: 3 }, { v: 2 }, { v: 1 }]],
    [{}, { $sortArray: { input: [{ v: [3, 1] }, { v: [2] }], sortBy: { v: 1 } } }, [{ v: [2] }, { v: [3, 1] }]],
    [
      {},
      { $sortArray: { input: [{ v: [1, 3] }, {}, { v: [2, 2] }], sortBy: { 'v.1': 1 } } },
      [{}, { v: [2, 2] }, { v: [1, 3] }],
    ],
    [{ n: Long.ONE }, { $map: { input: { $setUnion: [['$n', 1], [1]] }, in: { $type: '$$this' } } }, ['long']],
    [{}, { $setIntersection: [[1, 1, 2]] }, [1, 2]],
    [{}, { $size: { $setUnion: [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }]] } }, 2],
    [
      {},
      [
        {
          $setEquals: [
            [1, 2, 1],
            [2, 1],
          ],
        },
        { $setIsSubset: [[1], [1, 2]] },
      ],
      [true, true],
    ],
    [{}, { $setDifference: [[1, 2, 3], [2]] }, [1, 3]],
    // Paths lead through documents alone, and never into what stands for one value.
    [{ x: [[{ y: 1 }], { y: 3 }, { y: [4] }, 5] }, '$x.y', [3, [4]]],
    [{ x: [{ y: 1 }] }, ['$x.0', '$x.0.y', '$$ROOT.x.y'], [[], [], [1]]],
    [
      { ref: new ObjectId(), d: Decimal128.fromString('1') },
      ['$ref.id', '$d.bytes', '$ref._bsontype'],
      [null, null, null],
    ],
    [{ o: { p: { q: 1 } } }, { $let: { vars: { v: '$o' }, in: '$$v.p.q' } }, 1],
    [
      { arr: [{ a: 1 }, { b: 2 }] },
      [{ $mergeObjects: ['$arr'] }, { $mergeObjects: '$arr' }],
      [
        { a: 1, b: 2 },
        { a: 1, b: 2 },
      ],
    ],
    [{ z: Decimal128.fromString('0') }, { $switch: { branches: [branch('$z', 1)], default: 2 } }, 2],
    [{ n: NaN }, { $switch: { branches: [branch('$n', 1)] } }, 1],
    [{ a: [1, 2] }, { $map: { input: '$a', as: 'this', in: '$$this' } }, [1, 2]],
    [{}, { $let: { vars: { this: 5 }, in: ['$$this', { $map: { input: [1], in: '$$this' } }] } }, [5, [1]]],
    // Texts.
    [
      {},
      [{ $trim: { input: '😁a', chars: '😀' } }, { $rtrim: { input: ' a ' } }, { $ltrim: { input: ' a ' } }],
      ['😁a', ' a', 'a '],
    ],
    [{}, { $trim: { input: ' a ', chars: '$nope' } }, null],
    [
      {},
      [
        { $replaceAll: { input: 'ab', find: '', replacement: { $literal: '$&' } } },
        { $replaceOne: { input: 'aa', find: 'a', replacement: 'b' } },
      ],
      ['$&a$&b$&', 'ba'],
    ],
    [
      {},
      [
        { $regexMatch: { input: 'undefined', regex: '$nope' } },
        { $regexMatch: { input: 'ab', regex: 'B', options: 'i' } },
      ],
      [false, true],
    ],
    [{}, [{ $toDouble: '-inf' }, { $convert: { input: '1e400', to: 'double', onError: 'none' } }], [-Infinity, 'none']],
    [{}, { $convert: { input: '1', to: '$nope' } }, null],
    // A double is rounded as it is in binary.
    [
      {},
      [{ $round: [2.675, 2] }, { $round: [1.115, 2] }, { $trunc: [0.29, 2] }, { $round: [2.5, 0] }],
      [2.67, 1.11, 0.28, 2],
    ],
    [{}, [{ $round: [1234.5, -2] }, { $trunc: [-1.75, 1] }, { $round: [1e300, 2] }], [1200, -1.7, 1e300]],
    // Dates that there are not, and their names.
    [{}, { $dateFromString: { dateString: '2017-02-30', onError: 'none' } }, 'none'],
    [
      { d: date('2017-07-04T00:00') },
      { $dateToString: { date: '$d', format: '%d %b, %B %Y, %j' } },
      '04 Jul, July 2017, 185',
    ],
    [{}, { $year: { $dateFromParts: { year: 99, month: 3 } } }, 99],
    // Spans shorter than a day are counted as they go by; what is null makes null.
    [
      { d: date('2021-07-01T13:30') },
      { $dateTrunc: { date: '$d', unit: 'hour', binSize: 2, timezone: 'America/New_York' } },
      date('2021-07-01T13:00'),
    ],
    [
      { d: date('2021-07-01T13:30') },
      [
        { $dateTrunc: { date: '$d', unit: null } },
        { $dateTrunc: { date: '$d', unit: 'day', binSize: null } },
        { $dateDiff: { startDate: '$d', endDate: '$d', unit: '$nope' } },
        { $dateDiff: { startDate: '$d', endDate: '$d', unit: 'day', timezone: null } },
        { $dateAdd: { startDate: '$d', unit: 'day', amount: 1, timezone: null } },
        { $dateSubtract: { startDate: '$d', unit: null, amount: 1 } },
      ],
      [null, null, null, null, null, null],
    ],
    [
      {},
      {
        $arrayToObject: [
          [
            ['a', null],
            ['__x', 1],
          ],
        ],
      },
      { a: null, __x: 1 },
    ],
    // Of nothing, and of what has no end.
    [{}, [{ $sum: [] }, { $max: [] }, { $avg: [] }, { $mergeObjects: [] }], [0, null, null, {}]],
    [{}, { $reduce: { input: [1], initialValue: 0, in: '$$this.x' } }, undefined],
    [{}, { $reduce: { input: '$nope', initialValue: 0, in: '$$this' } }, null],
    [{ d: Decimal128.fromString('9E6144') }, { $toString: { $multiply: ['$d', 10] } }, 'Infinity'],
    [{ d: Decimal128.fromString('1E6111') }, { $eq: [{ $add: ['$d', Decimal128.fromString('1E-6176')] }, '$d'] }, true],
    [{ d: Decimal128.fromString('9007199254740993') }, { $toString: { $toLong: '$d' } }, '9007199254740993'],
    [{}, { $regexMatch: { input: 'a', regex: 'a', options: null } }, true],
    [{ t: new Timestamp({ t: 86_400, i: 1 }) }, [{ $year: '$t' }, { $toDate: '$t' }], [1970, date('1970-01-02T00:00')]],
    // Where clocks are put forward, the time between them is the later one.
    [
      { d: date('2024-09-08T15:00') },
      { $dateTrunc: { date: '$d', unit: 'day', timezone: 'America/Santiago' } },
      date('2024-09-08T04:00'),
    ],
    [
      {},
      { $dateFromParts: { year: 2024, month: 3, day: 10, hour: 2, minute: 30, timezone: 'America/New_York' } },
      date('2024-03-10T07:30'),
    ],
    // Dates before 2000.
    [{ d: date('1991-01-15T00:00') }, { $dateTrunc: { date: '$d', unit: 'month' } }, date('1991-01-01T00:00')],
    [{ d: date('1985-02-20T00:00') }, { $dateTrunc: { date: '$d', unit: 'quarter' } }, date('1985-01-01T00:00')],
    [
      { d: date('1999-11-20T00:00') },
      { $dateTrunc: { date: '$d', unit: 'month', binSize: 4 } },
      date('1999-09-01T00:00'),
    ],
  ])('in %j yield of %j', async (document, expression, expected) => {
    expect(await valueOf(document, expression)).toEqual(expected);
  });

  const xs = (...values: unknown[]) => values.map((x) => ({ x }));
  it.each<[Fields[], Fields, unknown]>([
    [xs(1, 3), { $first: { v: '$x', w: '$nope' } }, { v: 1 }],
    [xs(1, 3), { $last: '$x' }, 3],
    [xs({ a: 1 }, { b: 2 }, null), { $mergeObjects: '$x' }, { a: 1, b: 2 }],
    [xs(1, 2), { $mergeObjects: { $arrayToObject: [[[{ $toString: '$x' }, '$x']]] } }, { 1: 1, 2: 2 }],
    [xs(...Array(10).fill(0.1)), { $sum: '$x' }, 1],
  ])('over %j yield by %j', async (documents, accumulator, expected) => {
    expect(await grouped(documents, accumulator)).toEqual(expected);
  });

  it('know one moment for the whole of a command', async () => {
    await suite.things.insertMany(Array.from({ length: 3000 }, (_, n) => ({ n })));
    await suite.things.updateMany({}, [{ $set: { at: '$$NOW' } }]);
    expect(await suite.things.distinct('at')).toHaveLength(1);
    const [found] = await suite.aggregate(
      { $set: { at: '$$NOW' } },
      { $set: { later: '$$NOW' } },
      { $group: { _id: null, moments: { $addToSet: { a: '$at', b: '$later' } } } },
    );
    const [moment, another] = (found?.['moments'] ?? []) as Fields[];
    expect(another).toBeUndefined();
    expect(moment?.['a']).toEqual(moment?.['b']);
    const recent = { $expr: { $lt: [{ $subtract: ['$$NOW', '$at'] }, 60_000] } };
    expect(await suite.things.countDocuments(recent)).toBe(3000);
  });
});
