import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER } from './embedded-mongodb-contract.js';

const { Decimal128, Long } = mongoose.mongo;

describe(`What an expression yields on ${SERVER}`, () => {
  const suite = driverSuite();
  // Not as an object: with a `then` it would look like a promise.
  const condition = [
    ['if', '$nothing'],
    ['then', 'yes'],
    ['else', 'no'],
  ];
  const document = {
    list: [3, 1, 2],
    text: 'ÀBC é',
    day: new Date('2024-03-05'),
    nothing: null,
    long: Long.fromNumber(2),
    price: Decimal128.fromString('1.5'),
    nested: { a: 1 },
  };

  it.each<[expression: object, expected: unknown]>([
    [{ $ifNull: ['$missing', '$nothing', 3] }, 3],
    [{ $ifNull: ['$nested.a', 3] }, 1],
    [{ $ifNull: ['$missing', '$nothing'] }, null],
    [{ $cond: Object.fromEntries(condition) }, 'no'],
    [{ $cond: [{ $gt: ['$nested.a', 0] }, 'yes', 'no'] }, 'yes'],
    [{ $isArray: '$list' }, true],
    [{ $isArray: ['$text'] }, false],
    [{ $arrayElemAt: ['$list', 0] }, 3],
    [{ $arrayElemAt: ['$list', -1] }, 2],
    [{ $arrayElemAt: ['$list', 3] }, undefined],
    [{ $arrayElemAt: ['$nothing', 0] }, null],
    [{ $setIntersection: [[1, 2, 2, 3], '$list', [4, 2, 1]] }, [1, 2]],
    [{ $setIntersection: ['$list', '$nothing'] }, null],
    [{ $slice: ['$list', 1, 5] }, [1, 2]],
    [{ $slice: ['$list', -1] }, [2]],
    [{ $toLower: '$text' }, 'Àbc é'],
    [{ $toUpper: '$text' }, 'ÀBC é'],
    [{ $toLower: '$missing' }, ''],
    [{ $strLenBytes: '$text' }, 7],
    [{ $strLenCP: '$text' }, 5],
    [{ $substr: ['$text', 3.9, { $divide: [5, 2] }] }, 'C '],
    [{ $literal: '$text' }, '$text'],
    [{ $pow: [2, 10] }, 1024],
    [{ $pow: [2, 0.5] }, Math.SQRT2],
    [{ $pow: [2, -1] }, 0.5],
    [{ $pow: [2, 40] }, 2 ** 40],
    [{ $sqrt: 9 }, 3],
    [{ $log: [8, 2] }, 3],
    [{ $log10: 1000 }, 3],
    [{ $subtract: [5, 7] }, -2],
    [{ $subtract: ['$day', 86_400_000] }, new Date('2024-03-04')],
    [{ $subtract: ['$day', new Date('2024-03-04')] }, 86_400_000],
    [{ $abs: -3 }, 3],
    [{ $mod: [-7, 3] }, -1],
  ])('%j: %j', async (expression, expected) => {
    expect(await suite.valueOf(document, expression)).toEqual(expected);
  });

  it('is exact for whole powers, up to an int64', async () => {
    const power = async (base: unknown, exponent: number) =>
      String(await suite.valueOf({}, { $toString: { $pow: [base, exponent] } }));
    expect(await power(3, 39)).toBe('4052555153018976267');
    expect(await power(-3, 39)).toBe('-4052555153018976267');
    expect(await power(1, 1_000_000)).toBe('1');
    expect(await suite.valueOf({}, { $type: { $pow: [2, 63] } })).toBe('double');
  });

  it('writes doubles as MongoDB does', async () => {
    const double = (value: number) => ({ $toDouble: value });
    const values: [expression: object, expected: string][] = [
      [{ $substr: [double(1_700_000_000_000), 0, 10] }, '1.7e+12'],
      [{ $toLower: double(1234.5678) }, '1234.57'],
      [{ $toString: double(1_700_000_000_000) }, '1700000000000'],
      [{ $toString: double(0.1) }, '0.1'],
      [{ $toString: double(1e16) }, '1e+16'],
      [{ $toString: double(0.00009) }, '9e-05'],
      [{ $toString: { $toDecimal: { $multiply: [1.1, 3] } } }, '3.30000000000000'],
    ];
    for (const [expression, expected] of values) expect(await suite.valueOf({}, expression)).toBe(expected);
  });

  it('is a number of the type in which it was calculated', async () => {
    const typeOf = (expression: object) => suite.valueOf(document, { $type: expression });
    expect(await typeOf({ $pow: [2, 10] })).toBe('int');
    expect(await typeOf({ $pow: [2, 40] })).toBe('long');
    expect(await typeOf({ $pow: ['$long', 2] })).toBe('long');
    expect(await typeOf({ $pow: [2, -1] })).toBe('double');
    expect(await typeOf({ $pow: ['$price', 2] })).toBe('decimal');
    expect(await typeOf({ $sqrt: 9 })).toBe('double');
    expect(await typeOf({ $subtract: ['$long', 1] })).toBe('long');
    expect(await typeOf({ $subtract: ['$price', 1] })).toBe('decimal');
  });

  it.each([
    [{ $pow: [0, -1] }],
    [{ $sqrt: -1 }],
    [{ $log: [8, 1] }],
    [{ $log: [-8, 2] }],
    [{ $ln: 0 }],
    [{ $round: [1.5, 101] }],
    [{ $add: ['$day', '$day'] }],
    [{ $substrCP: ['$text', -1, 2] }],
    [{ $substrBytes: ['$text', -1, 2] }],
    [{ $indexOfCP: ['$text', 'b', -1] }],
    [{ $slice: ['$list', 1, 0] }],
    [{ $range: [0, 5, 0] }],
    [{ $sortArray: { input: '$list', sortBy: 2 } }],
    [{ $arrayToObject: '$text' }],
    [{ $setField: { field: 'a', input: '$text', value: 1 } }],
    [{ $dateTrunc: { date: '$day', unit: 'day', binSize: 0 } }],
    [{ $dateTrunc: { date: '$day', unit: 'week', startOfWeek: 'someday' } }],
    [{ $toString: '$list' }],
  ])('nothing, where it cannot: %j is refused', async (expression) => {
    await expect(suite.valueOf(document, expression)).rejects.toThrow(mongoose.mongo.MongoServerError);
  });

  it('is counted in a group', async () => {
    await suite.things.insertMany([{ x: 1 }, { x: 1 }, { x: 2 }]);
    expect(await suite.aggregate({ $group: { _id: '$x', n: { $count: {} } } }, { $sort: { _id: 1 } })).toEqual([
      { _id: 1, n: 2 },
      { _id: 2, n: 1 },
    ]);
  });
});
