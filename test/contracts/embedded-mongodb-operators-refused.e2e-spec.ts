import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

const date = (text: string) => new Date(`${text}Z`);
/** Of a $switch: as a text, since no object that is written down here may be taken for a promise. */
const branch = (condition: string, result: number) =>
  JSON.parse(`{"case":${JSON.stringify(condition)},"then":${result}}`) as Fields;

describe(`Operators of aggregations that are used wrongly, on ${SERVER},`, () => {
  const suite = driverSuite();
  const { valueOf } = suite;
  const grouped = async (documents: Fields[], accumulator: unknown) => {
    const [found] = await suite.over(documents, { $group: { _id: null, value: accumulator } });
    return found?.['value'];
  };

  it('take no expression for what gathers the values of a group', async () => {
    for (const other of [{ $add: [1, 1] }, { $toUpper: '$x' }, { $__object: {} }]) {
      await expect(grouped([{}], other)).rejects.toMatchObject({ code: 15952 });
    }
    for (const several of [{ $sum: ['$x', '$y'] }, { $push: ['$x'] }, { $first: ['$x'] }]) {
      await expect(grouped([{}], several)).rejects.toMatchObject({ code: 40237 });
    }
  });

  it.each([[{ $unwind: { path: '$a', keep: true } }], [{ $count: '' }], [{ $count: 'a.b' }], [{ $sortByCount: 'a' }]])(
    'stand in no stage that has what it does not know: %j',
    async (stage) => {
      await expect(suite.over([{ a: [1] }], stage)).rejects.toThrow(mongoose.mongo.MongoServerError);
    },
  );

  it('make no text longer than a document', async () => {
    const doubled = { $concat: ['$$value', '$$value'] };
    const reduced = { $reduce: { input: { $range: [0, 30] }, initialValue: 'x', in: doubled } };
    await expect(valueOf({}, { $strLenBytes: reduced })).rejects.toThrow(mongoose.mongo.MongoServerError);
  });

  it.each<[unknown]>([
    [{ $median: { input: [1] } }],
    [{ $firstN: { n: 0, input: [1] } }],
    [{ $filter: { input: [1], cond: true, limit: 0 } }],
    [{ $map: { input: 5, in: 1 } }],
    [{ $setUnion: [[1], 5] }],
    [{ $add: '$a' }],
    [{ $getField: 5 }],
    [{ $mergeObjects: ['$a'] }],
    [{ $bitAnd: [1.5, 1] }],
    [{ $zip: { inputs: [[1]], defaults: [1] } }],
    [{ $__object: { a: 1 } }],
    [{ $dateTrunc: { date: date('2021-07-01T00:00'), unit: 'fortnight' } }],
    [{ $dateTrunc: { date: date('2021-07-01T00:00'), unit: 'day', binSize: 1.5 } }],
    [{ $dateDiff: { startDate: date('2021-07-01T00:00'), endDate: date('2021-07-01T00:00'), unit: 'days' } }],
    [{ $arrayToObject: [[[1, 2]]] }],
    [{ $arrayToObject: [[['a', 1, 2]]] }],
    [{ $arrayToObject: [[['a', 1], { k: 'b', v: 1 }]] }],
    [{ $arrayToObject: [[{ k: 'b', v: 1, w: 1 }]] }],
    [{ $getField: { field: 'a', input: { $plus: [1] } } }],
    [{ $setField: { field: 'a', input: '$$ROOT', value: { $plus: [1] } } }],
    [{ $map: { input: '$a', as: 'x', in: '$$this' } }],
    ['$$this'],
    [{ $ln: 0 }],
    [{ $log: [2, 1] }],
    [{ $log10: -1 }],
    [{ $dateFromParts: { year: 10_000 } }],
    [{ $dateFromParts: { year: 2017.5 } }],
    [{ $concat: ['a', 5] }],
    [{ $trim: { input: 5 } }],
    [{ $switch: { branches: [branch('$nothing', 1)] } }],
    [{ $switch: { branches: [{ case: true }], default: 1 } }],
    [{ $switch: { branches: [{ ...branch('$a', 1), else: 2 }], default: 1 } }],
    [{ $zip: { inputs: [5] } }],
    [{ $zip: { inputs: [] } }],
    [{ $dateAdd: 5 }],
    [{ $dateDiff: { startDate: date('2021-07-01T00:00'), unit: 'day' } }],
    [{ $dateTrunc: { date: date('2021-07-01T00:00'), unit: 'day', x: 1 } }],
    [{ $dateFromParts: { year: 2021, x: 1 } }],
    [{ $dateToParts: { date: date('2021-07-01T00:00'), x: 1 } }],
    [{ $convert: { input: '1' } }],
    [{ $convert: null }],
    [{ $setField: { field: 'a', value: 1 } }],
    [{ $setField: null }],
    [{ $unsetField: { field: 'a' } }],
    [{ $let: { vars: null, in: 1 } }],
    [{ $let: { vars: { X: 1 }, in: 1 } }],
    [{ $let: { vars: { ROOT: 1 }, in: 1 } }],
    [{ $toDate: 5 }],
    [{ $toDate: NaN }],
    [{ $toDate: 1e300 }],
    [{ $add: [date('2021-07-01T00:00'), 1e18] }],
    [{ $dateAdd: { startDate: date('2021-07-01T00:00'), unit: 'year', amount: 1_000_000 } }],
    [{ $dateFromParts: { year: 2021, month: 1e15 } }],
    [{ $convert: { input: 5.7, to: 'number' } }],
    [{ $hour: { date: date('2021-07-01T00:00'), timezone: '+5' } }],
    [{ $hour: { date: date('2021-07-01T00:00'), timezone: '+5:30' } }],
    [{ $hour: { date: date('2021-07-01T00:00'), timezone: '+0530xyz' } }],
    [{ $regexMatch: { input: 'a', regex: /A/i, options: 'm' } }],
    [{ $arrayToObject: [[['a\0b', 1]]] }],
    [{ $replaceAll: { input: 'a'.repeat(1000), find: 'a', replacement: 'a'.repeat(1_000_000) } }],
  ])('are refused: %j', async (expression) => {
    const refusal = valueOf({ a: [1, 2] }, expression);
    await expect(refusal).rejects.toThrow(mongoose.mongo.MongoServerError);
    await expect(refusal).rejects.not.toMatchObject({ code: 1 });
  });
});
