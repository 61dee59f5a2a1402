import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, type Fields, SERVER } from './embedded-mongodb-contract.js';

describe(`An aggregation on ${SERVER}`, () => {
  const suite = driverSuite();
  const valueOf = async (document: Fields, value: unknown) =>
    (await suite.over([document], { $project: { value } }))[0];

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
      expect(await suite.things.countDocuments({ $expr: { $eq: [expression, expected] } })).toBe(1);
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

    const decimal = (text: string) => mongoose.mongo.Decimal128.fromString(text);
    const long = (text: string) => mongoose.mongo.Long.fromString(text);
    it.each([
      [{ p: decimal('1.10'), q: 3 }, { $multiply: ['$p', '$q'] }, decimal('3.30')],
      [{ p: decimal('0.1'), q: decimal('0.2') }, { $add: ['$p', '$q', 1] }, decimal('1.3')],
      [{ p: decimal('1.10'), q: 3 }, { $subtract: ['$p', '$q'] }, decimal('-1.90')],
      [{ p: decimal('1') }, { $divide: ['$p', 8] }, decimal('0.125')],
      [{ p: decimal('7.5') }, { $mod: ['$p', 2] }, decimal('1.5')],
      [{ p: decimal('-7.5') }, { $abs: '$p' }, decimal('7.5')],
      [{ p: decimal('2.345') }, { $round: ['$p', 2] }, decimal('2.34')],
      [{ p: decimal('-2.5') }, { $floor: '$p' }, decimal('-3')],
      [{ p: decimal('-2.5') }, { $ceil: '$p' }, decimal('-2')],
      [{ p: decimal('1.10'), q: 3 }, { $sum: ['$p', '$q', 'text'] }, decimal('4.10')],
      [{ p: decimal('1.10') }, { $max: ['$p', 3, null] }, 3],
      [{ all: [1, 2, 6, 'text'] }, { $avg: '$all' }, 3],
      [{ all: [[1], 2] }, { $sum: '$all' }, 2],
      [{ s: '1.10' }, { $toDecimal: '$s' }, decimal('1.10')],
      [{ p: decimal('1.10') }, { $toString: '$p' }, '1.10'],
      [{ n: long('9007199254740993') }, { $add: ['$n', 2] }, long('9007199254740995')],
      [{ n: long('9007199254740993') }, { $subtract: ['$n', 2] }, 9007199254740991],
      [{ n: long('9007199254740993') }, { $mod: ['$n', 10] }, 3],
      [{ n: long('4611686018427387904') }, { $multiply: ['$n', 0.5] }, 2 ** 61],
      [{ n: long('-9007199254740993') }, { $abs: '$n' }, long('9007199254740993')],
      [{ n: long('9007199254740993') }, { $round: ['$n', -1] }, 9007199254740990],
      [{ p: decimal('-2.55') }, { $round: ['$p', 1] }, decimal('-2.6')],
      [{ p: decimal('2.5') }, { $round: ['$p', 3] }, decimal('2.5')],
      [{ p: decimal('Infinity') }, { $add: ['$p', 1] }, decimal('Infinity')],
      [{ n: 7.5 }, { $mod: ['$n', 2] }, 1.5],
      [{ n: 5 }, { $divide: ['$n', 2] }, 2.5],
      [{ n: -7.9 }, { $trunc: '$n' }, -7],
      [{ n: 1.35 }, { $round: ['$n', 1] }, 1.4],
      [{ n: 2.5 }, { $round: '$n' }, 2],
      [{ n: -1550 }, { $round: ['$n', -2] }, -1600],
      [{}, { $add: ['$n', 1] }, null],
      [{ d: date('2024-01-01T00:00:00Z') }, { $add: ['$d', 1500] }, date('2024-01-01T00:00:01.500Z')],
      [{ d: date('2024-01-01T00:00:01Z') }, { $subtract: ['$d', date('2024-01-01T00:00:00Z')] }, 1000],
      [{ d: date('2024-01-01T00:00:01Z') }, { $subtract: ['$d', 1000] }, date('2024-01-01T00:00:00Z')],
    ])('calculate: in %j %j', async (document, expression, expected) => {
      const { value } = (await valueOf(document, expression)) as { value: unknown };
      const isDecimal = expected instanceof mongoose.mongo.Decimal128;
      expect(isDecimal ? String(value) : value).toEqual(isDecimal ? String(expected) : expected);
    });

    it.each([{ $divide: ['$n', 0] }, { $mod: ['$n', 0] }, { $add: ['$n', 'text'] }, { $round: ['$n', 0.5] }])(
      'refuse to calculate %j',
      async (expression) => {
        await expect(valueOf({ n: 1 }, expression)).rejects.toThrow();
      },
    );

    it.each([
      ['2021-01-03', '2020-W53', 1],
      ['2021-01-04', '2021-W01', 1],
      ['2020-12-31', '2020-W53', 52],
      ['2022-01-01', '2021-W52', 0],
      ['2024-12-30', '2025-W01', 52],
    ])('know the weeks of years: %s', async (day, isoWeek, week) => {
      const document = { d: date(day) };
      expect(await valueOf(document, { $dateToString: { date: '$d', format: '%G-W%V %%U' } })).toEqual({
        value: `${isoWeek} %U`,
      });
      expect(await valueOf(document, { $isoWeekYear: '$d' })).toEqual({ value: Number(isoWeek.slice(0, 4)) });
      expect(await valueOf(document, { $week: '$d' })).toEqual({ value: week });
      expect(await valueOf(document, { $week: { date: '$d', timezone: 'America/New_York' } })).toEqual(
        await valueOf({ d: new Date(date(day).getTime() - 86_400_000) }, { $week: '$d' }),
      );
    });

    it.each([
      [{ year: 2021, month: 5 }, '2021-05-01T00:00:00.000Z'],
      [{ year: 2021, month: 14, day: 0 }, '2022-01-31T00:00:00.000Z'],
      [{ year: 2021, month: 3, day: 1, hour: 25 }, '2021-03-02T01:00:00.000Z'],
      [{ year: 2021, month: 7, day: 1, timezone: 'Europe/Berlin' }, '2021-06-30T22:00:00.000Z'],
      [{ year: 2021, month: 1, day: 1, hour: 9, timezone: 'America/New_York' }, '2021-01-01T14:00:00.000Z'],
    ])('make a date of %j', async (parts, expected) => {
      expect(await valueOf({}, { $dateFromParts: parts })).toEqual({ value: date(expected) });
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
      await suite.things.insertMany([0, 4, 5, 10, 99].map((v) => ({ v })));
      const boundaries = [0, 5, 10, 15, 20];
      expect(await suite.aggregate({ $bucket: { groupBy: '$v', boundaries, default: 'other' } })).toEqual([
        { _id: 0, count: 2 },
        { _id: 5, count: 1 },
        { _id: 10, count: 1 },
        { _id: 'other', count: 1 },
      ]);
      await expect(suite.aggregate({ $bucket: { groupBy: '$v', boundaries } })).rejects.toThrow();
    });

    it('draw each document once', async () => {
      await suite.things.insertMany(Array.from({ length: 10 }, (_, n) => ({ n })));
      const drawn = await suite.aggregate({ $sample: { size: 10 } });
      expect(new Set(drawn.map(({ n }) => n)).size).toBe(10);
      expect(await suite.aggregate({ $sample: { size: 3 } })).toHaveLength(3);
    });

    it('give each document what a pipeline alone finds elsewhere, as its own', async () => {
      await suite.things.insertMany([{ v: 1 }, { v: 2 }, { v: 3 }]);
      const { collectionName: from } = suite.things;
      const found = await suite.aggregate(
        { $lookup: { from, pipeline: [{ $match: { v: { $gt: 1 } } }], as: 'large' } },
        { $unwind: '$large' },
        { $lookup: { from, localField: 'v', foreignField: 'v', as: 'large.same' } },
        { $sort: { v: 1, 'large.v': 1 } },
        { $project: { _id: 0, v: 1, large: '$large.v', same: '$large.same.v' } },
      );
      expect(found).toEqual([1, 2, 3].flatMap((v) => [2, 3].map((large) => ({ v, large, same: [v] }))));
    });

    it('follow a graph as far as a filter allows', async () => {
      const people = [
        { _id: 1 },
        { _id: 2, boss: 1, at: 'work' },
        { _id: 3, boss: 1 },
        { _id: 4, boss: 2, at: 'work' },
      ];
      await suite.things.insertMany(people as never);
      const graph = { startWith: '$_id', connectFromField: '_id', connectToField: 'boss', as: 'team' };
      const [first] = await suite.aggregate({
        $graphLookup: {
          from: suite.things.collectionName,
          ...graph,
          restrictSearchWithMatch: { at: { $in: ['work'] } },
        },
      });
      const team = (first?.team ?? []) as { _id: number }[];
      expect(
        team.toSorted((a, b) => a._id - b._id),
        'as they are',
      ).toEqual([people[1], people[3]]);
    });

    it('join into each document alone, also where it was one with others', async () => {
      await suite.things.insertOne({ _id: 1, v: [1, 2], in: { k: 0 } } as never);
      const found = await suite.aggregate(
        { $unwind: '$v' },
        {
          $lookup: {
            from: suite.things.collectionName,
            let: { v: '$v' },
            pipeline: [{ $set: { mine: '$$v' } }],
            as: 'in.it',
          },
        },
        { $sort: { v: 1 } },
        { $project: { _id: 0, v: 1, mine: '$in.it.mine', k: '$in.k' } },
      );
      expect(found).toEqual([1, 2].map((v) => ({ v, mine: [v], k: 0 })));
    });

    it('go round a graph of lists once, however it turns', async () => {
      const neighbours = (n: number) => [(n + 99) % 100, (n + 1) % 100];
      await suite.things.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: n, next: neighbours(n) })) as never);
      await suite.things.insertMany([{ _id: 'none' }, { _id: null, next: 'none' }] as never);
      const { collectionName: from } = suite.things;
      const edges = { from, connectFromField: 'next', connectToField: '_id', as: 'all', depthField: 'far' };
      const reached = async (graph: object) => {
        const [found] = await suite.aggregate({ $match: { _id: 50 } }, { $graphLookup: { ...edges, ...graph } });
        return found?.['all'] as { _id: number; far: number }[];
      };
      const all = await reached({ startWith: '$_id' });
      expect(all).toHaveLength(100);
      expect(all.every(({ _id, far }) => far === Math.abs(_id - 50))).toBe(true);
      expect(await reached({ startWith: '$_id', maxDepth: 5 })).toHaveLength(11);
      expect(await reached({ startWith: { $literal: [1, 2, 3] }, maxDepth: 0 })).toHaveLength(3);
      expect((await reached({ startWith: { $literal: 'none' } })).map(({ _id }) => _id)).toEqual(['none']);
    });

    it('unwind lists, at the end of documents alone', async () => {
      await suite.things.insertMany([
        { a: { l: ['x', 'y'] } },
        { a: { l: [] } },
        { a: { l: null } },
        { a: { l: 5 } },
        { a: [{ l: ['z'] }] },
        {},
      ]);
      const unwound = (options: object) =>
        suite.aggregate({ $unwind: { path: '$a.l', ...options } }, { $project: { _id: 0 } });
      expect(await unwound({})).toEqual(['x', 'y', 5].map((l) => ({ a: { l } })));
      expect(await unwound({ preserveNullAndEmptyArrays: true, includeArrayIndex: 'at.n' })).toEqual([
        { a: { l: 'x' }, at: { n: 0 } },
        { a: { l: 'y' }, at: { n: 1 } },
        { a: {}, at: { n: null } },
        { a: { l: null }, at: { n: null } },
        { a: { l: 5 }, at: { n: null } },
        { a: [{ l: ['z'] }], at: { n: null } },
        { at: { n: null } },
      ]);
    });

    it('collect what is there, and refuse what they do not know', async () => {
      await suite.things.insertMany([{ v: 1 }, {}, { v: null }]);
      expect(await suite.aggregate({ $group: { _id: null, all: { $push: '$v' } } })).toEqual([
        { _id: null, all: [1, null] },
      ]);
      await expect(suite.aggregate({ $skip: -1 })).rejects.toThrow();
      await expect(suite.aggregate({ $unwind: 'v' })).rejects.toMatchObject({ code: 28818 });
      await expect(suite.aggregate({ $group: { _id: null, v: '$v' } })).rejects.toMatchObject({ code: 40234 });
    });
  });
});
