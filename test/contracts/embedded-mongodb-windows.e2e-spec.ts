import fc from 'fast-check';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

describe(`Windows of documents on ${SERVER}`, () => {
  const suite = driverSuite();
  /** What a function yields for each of these documents, in the order of x. */
  const valuesOf = async (documents: Fields[], output: Fields, others: Fields = {}) => {
    const found = await suite.over(documents, {
      $setWindowFields: { sortBy: { x: 1 }, ...others, output: { y: output } },
    });
    return found.map(({ y }) => y);
  };
  const at = (...values: unknown[]) => values.map((x) => ({ x }));
  const hour = (h: number, minute = 0) => new Date(Date.UTC(2024, 0, 1, h, minute));

  it.each([
    [
      [-1, 1],
      [
        [1, 2],
        [1, 2, 3],
        [2, 3, 4],
        [3, 4],
      ],
    ],
    [
      [-3, -2],
      [[], [], [1], [1, 2]],
    ],
    [
      [1, 2],
      [[2, 3], [3, 4], [4], []],
    ],
    [
      ['unbounded', -3],
      [[], [], [], [1]],
    ],
    [
      ['unbounded', 'current'],
      [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]],
    ],
    [
      ['current', 'unbounded'],
      [[1, 2, 3, 4], [2, 3, 4], [3, 4], [4]],
    ],
    [
      [{ $subtract: [1, 1] }, 0],
      [[1], [2], [3], [4]],
    ],
  ])('counted in documents are %j', async (documents, expected) => {
    expect(await valuesOf(at(3, 1, 4, 2), { $push: '$x', window: { documents } })).toEqual(expected);
  });

  it.each([
    [
      [-1, 0],
      [[0], [0, 1], [1, 1.5], [1, 1.5, 2], [100, 100], [100, 100]],
    ],
    [
      ['current', 'current'],
      [[0], [1], [1.5], [2], [100], [100]],
    ],
    [
      ['current', 1],
      [[0, 1], [1, 1.5, 2], [1.5, 2], [2], [100, 100], [100]],
    ],
    [
      [-1, -1],
      [[], [0], [], [1], [], []],
    ],
    [
      ['unbounded', -99],
      [[], [], [], [], [0, 1], [0, 1]],
    ],
    [
      [99, 'unbounded'],
      [[100, 100], [100, 100], [], [], [], []],
    ],
  ])('counted in what they are sorted by are %j', async (range, expected) => {
    expect(await valuesOf(at(0, 1, 1.5, 2, 100, 100), { $push: '$x', window: { range } })).toEqual(expected);
  });

  it('are those that a look at every document finds, for random documents and bounds', async () => {
    const bound = fc.oneof(
      fc.constant('unbounded' as const),
      fc.constant('current' as const),
      fc.integer({ min: -6, max: 6 }),
    );
    const distance = (one: string | number, unbounded: number) =>
      one === 'unbounded' ? unbounded : one === 'current' ? 0 : Number(one);
    const bounds = fc
      .tuple(bound, bound)
      .filter(([lower, upper]) => distance(lower, -Infinity) <= distance(upper, Infinity));
    const values = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(values, bounds, fc.boolean(), async (given, [lower, upper], isRange) => {
        const all = [...given].sort((a, b) => a - b);
        const isIn = (from: number, to: number) => {
          const [value, current] = [all[to] as number, all[from] as number];
          const [low, high] = [distance(lower, -Infinity), distance(upper, Infinity)];
          if (!isRange) return to - from >= low && to - from <= high;
          const isAbove = lower === 'current' ? to >= from : value - current >= low;
          return isAbove && (upper === 'current' ? to <= from : value - current <= high);
        };
        const window = { [isRange ? 'range' : 'documents']: [lower, upper] };
        const output = { all: { $push: '$x', window }, sum: { $sum: '$x', window }, least: { $min: '$x', window } };
        const found = await suite.over(at(...given), { $setWindowFields: { sortBy: { x: 1 }, output } });
        expect(found.map(({ all: one, sum, least }) => [one, sum, least])).toEqual(
          all.map((_value, i) => {
            const inside = all.filter((_other, j) => isIn(i, j));
            return [inside, inside.reduce((a, b) => a + b, 0), inside[0] ?? null];
          }),
        );
      }),
      { numRuns: 200 },
    );
  }, 30_000);

  it('are counted in units of time, and in a field of a field', async () => {
    const documents = [hour(0), hour(0, 30), hour(2), hour(3)].map((t, n) => ({ a: { t }, n }));
    const output = { y: { $push: '$n', window: { range: [-1, 0], unit: 'hour' } } };
    const found = await suite.over(documents, { $setWindowFields: { sortBy: { 'a.t': 1 }, output } });
    expect(found.map(({ y }) => y)).toEqual([[0], [0, 1], [2], [2, 3]]);
  });

  it('belong to a partition, of which nothing is one; those come in order', async () => {
    const documents = [{ x: 1, p: 2 }, { x: 2, p: { k: 1 } }, { x: 3 }, { x: 4, p: null }, { x: 5, p: 2 }];
    const output = { n: { $count: {} }, 'at.sum': { $sum: '$x', window: { documents: ['unbounded', 'current'] } } };
    expect(await suite.over(documents, { $setWindowFields: { partitionBy: '$p', sortBy: { x: -1 }, output } })).toEqual(
      [
        { x: 4, p: null, n: 2, at: { sum: 4 } },
        { x: 3, n: 2, at: { sum: 7 } },
        { x: 5, p: 2, n: 2, at: { sum: 5 } },
        { x: 1, p: 2, n: 2, at: { sum: 6 } },
        { x: 2, p: { k: 1 }, n: 1, at: { sum: 2 } },
      ],
    );
  });

  it.each<[Fields, unknown[]]>([
    [{ $documentNumber: {} }, [1, 2, 3, 4, 5]],
    [{ $rank: {} }, [1, 2, 2, 4, 5]],
    [{ $denseRank: {} }, [1, 2, 2, 3, 4]],
    [{ $shift: { output: '$x', by: -1, default: 'none' } }, ['none', 1, 2, 2, 4]],
    [{ $shift: { output: '$x', by: 2 } }, [2, 4, 8, null, null]],
    [{ $first: '$x', window: { documents: [1, 2] } }, [2, 2, 4, 8, null]],
    [{ $last: '$x', window: { documents: [-1, 0] } }, [1, 2, 2, 4, 8]],
    [{ $expMovingAvg: { input: '$x', alpha: 0.5 } }, [1, 1.5, 1.75, 2.875, 5.4375]],
    [{ $expMovingAvg: { input: '$x', N: 3 } }, [1, 1.5, 1.75, 2.875, 5.4375]],
    [{ $expMovingAvg: { input: '$nothing', N: 3 } }, [null, null, null, null, null]],
    [{ $avg: '$x', window: { documents: [-1, 0] } }, [1, 1.5, 2, 3, 6]],
    [{ $avg: '$x', window: { documents: ['unbounded', 'current'] } }, [1, 1.5, 5 / 3, 2.25, 3.4]],
    [{ $avg: '$nothing', window: { documents: [-1, 0] } }, [null, null, null, null, null]],
    [{ $max: '$x', window: { documents: ['unbounded', -1] } }, [null, 1, 2, 2, 4]],
    [{ $min: '$x', window: { documents: ['unbounded', 'current'] } }, [1, 1, 1, 1, 1]],
    [{ $sum: '$x', window: { documents: ['unbounded', 'current'] } }, [1, 3, 5, 9, 17]],
    [{ $sum: '$x', window: { documents: ['unbounded', -1] } }, [0, 1, 3, 5, 9]],
    [{ $sum: '$x' }, [17, 17, 17, 17, 17]],
    [{ $addToSet: '$x', window: { documents: [-1, 0] } }, [[1], [1, 2], [2], [2, 4], [4, 8]]],
    [{ $stdDevPop: '$x', window: { documents: [-1, 0] } }, [0, 0.5, 0, 1, 2]],
    [{ $minN: { input: '$x', n: 2 }, window: { documents: [0, 2] } }, [[1, 2], [2, 2], [2, 4], [4, 8], [8]]],
    [{ $count: {}, window: { documents: [-1, 1] } }, [2, 3, 3, 3, 2]],
  ])('yield by %j', async (output, expected) => {
    expect(await valuesOf(at(1, 2, 2, 4, 8), output)).toEqual(expected);
  });

  it('take an array for an array, and pairs of numbers for the two of a covariance', async () => {
    expect(await valuesOf(at(1, 2), { $first: ['$x'] })).toEqual([[1], [1]]);
    const pairs = [
      { x: 1, v: 2 },
      { x: 3, v: 6 },
      { x: 4, v: 'text' },
    ];
    expect(await valuesOf(pairs, { $covariancePop: ['$x', '$v'] })).toEqual([2, 2, 2]);
    const window = { documents: [0, 0] };
    expect(await valuesOf(pairs, { $covarianceSamp: ['$x', '$v'], window })).toEqual([null, null, null]);
  });

  it('lose nothing of a running total', async () => {
    const doubles = [1e16, 1, -1e16].map((v, x) => ({ x, v }));
    const window = { documents: ['unbounded', 'current'] };
    expect(await valuesOf(doubles, { $sum: '$v', window })).toEqual([1e16, 1e16, 1]);
    expect((await valuesOf(doubles, { $avg: '$v', window })).at(-1)).toBe(1 / 3);
    const mixed = [1, mongoose.mongo.Decimal128.fromString('0.1')].map((v, x) => ({ x, v }));
    expect(String((await valuesOf(mixed, { $sum: '$v', window })).at(-1))).toBe('1.1');
  });

  it('rank what is null, missing or a list of null alike', async () => {
    expect(await valuesOf([{}, { x: null }, { x: [null] }, { x: 1 }], { $rank: {} })).toEqual([1, 1, 1, 4]);
  });

  it('say how fast a value changes, and what lies below it', async () => {
    const measured = [
      { x: 0, v: 1 },
      { x: 2, v: 5 },
      { x: 3, v: 5 },
      { x: 3, v: 5 },
    ];
    const window = { documents: [-1, 0] };
    expect(await valuesOf(measured, { $derivative: { input: '$v' }, window })).toEqual([null, 2, 0, null]);
    expect(await valuesOf(measured, { $integral: { input: '$v' }, window })).toEqual([0, 6, 5, 0]);
    const timed = [hour(0), hour(1, 30)].map((x, i) => ({ x, v: i * 3 }));
    expect(await valuesOf(timed, { $derivative: { input: '$v', unit: 'hour' }, window })).toEqual([
      null,
      (3 / 5_400_000) * 3_600_000,
    ]);
    expect(await valuesOf(timed, { $integral: { input: '$v', unit: 'minute' } })).toEqual([135, 135]);
  });

  it('carry a value on, or draw a line between two', async () => {
    const documents = [
      { x: 0, v: null },
      { x: 1, v: 10 },
      { x: 2 },
      { x: 5, v: 50 },
      { x: 6, v: 'text' },
      { x: 7, v: null },
    ];
    expect(await valuesOf(documents, { $locf: '$v' })).toEqual([null, 10, 10, 50, 'text', 'text']);
    const numbers = documents.map((one) => (one.v === 'text' ? { x: one.x } : one));
    expect(await valuesOf(numbers, { $linearFill: '$v' })).toEqual([null, 10, 20, 50, null, null]);
    const timed = [0, 1, 4].map((h) => ({ x: hour(h), ...(h !== 1 && { v: h }) }));
    expect(await valuesOf(timed, { $linearFill: '$v' })).toEqual([0, 1, 4]);
  });

  it('fill what is null or missing, in each partition', async () => {
    const documents = [
      { x: 1, p: 1, v: null, n: 1 },
      { x: 2, p: 2, v: 1 },
      { x: 3, p: 1, v: 1 },
      { x: 4, p: 1 },
      { x: 5, p: 1, v: 3, n: null },
      { x: 6, p: 2 },
    ];
    const fill = {
      sortBy: { x: 1 },
      partitionByFields: ['p'],
      output: { v: { method: 'linear' }, last: { method: 'locf' }, n: { value: { $add: ['$x', 0.5] } } },
    };
    expect((await suite.over(documents, { $fill: fill })).map(({ x, v, n }) => [x, v, n])).toEqual([
      [1, null, 1],
      [3, 1, 3.5],
      [4, 2, 4.5],
      [5, 3, 5.5],
      [2, 1, 2.5],
      [6, null, 6.5],
    ]);
    expect(await suite.over([{ a: { b: null } }], { $fill: { output: { 'a.b': { value: 1 } } } })).toEqual([
      { a: { b: 1 } },
    ]);
  });

  const fields = (output: Fields, others: Fields = {}) => ({
    $setWindowFields: { sortBy: { x: 1 }, output: { y: output }, ...others },
  });
  it.each<[number, Fields]>([
    [9, fields({ sum: '$x' })],
    [9, fields({ $summ: '$x' })],
    [9, fields({ $sum: '$x', $avg: '$x' })],
    [9, fields({ $mergeObjects: '$x' })],
    [9, fields({ $sum: '$x', window: [0, 1] })],
    [9, fields({ $sum: '$x', window: { documents: [0, 1], range: [0, 1] } })],
    [9, fields({ $sum: '$x', window: { documents: [0, 0.5] } })],
    [9, fields({ $sum: '$x', window: { documents: [0, 'last'] } })],
    [9, fields({ $sum: '$x', window: { documents: [0] } })],
    [9, fields({ $shift: { output: '$x' } })],
    [9, fields({ $expMovingAvg: { input: '$x', N: 2, alpha: 0.5 } })],
    [9, fields({ $expMovingAvg: { input: '$x', alpha: 1 } })],
    [9, fields({ $locf: '$x', window: { documents: [0, 1] } })],
    [14, fields({ $sum: '$x' }, { partitionBy: [1, 2] })],
    [168, fields({ $sum: { $plus: [1, 2] } })],
    [5339900, fields({ $sum: '$x', window: { documents: [1, -1] } })],
    [5339900, fields({ $sum: '$x', window: { range: ['current', -1] } })],
    [5339901, fields({ $sum: '$x', window: { documents: [-1, 0] } }, { sortBy: undefined })],
    [5339902, fields({ $sum: '$x', window: { range: [-1, 0] } }, { sortBy: { x: 1, y: 1 } })],
    [5371601, fields({ $rank: {}, window: { documents: [-1, 0] } })],
    [5371602, fields({ $documentNumber: {} }, { sortBy: { x: 1, y: 1 } })],
    [5371603, fields({ $rank: '$x' })],
    [5429414, fields({ $sum: '$x', window: { range: [-1, 0] } })],
    [6307900, { $setWindowFields: { output: { a: { $sum: 1 }, 'a.b': { $sum: 1 } } } }],
    [40415, fields({ $sum: 1 }, { what: 1 })],
    [6050106, fields({ $linearFill: '$v' }, { sortBy: { same: 1 } })],
    [605001, { $fill: { output: { v: { method: 'linear' } } } }],
    [40414, { $fill: {} }],
    [40415, { $fill: { output: { v: { method: 'locf', second: 1 } } } }],
    [6050200, { $fill: { output: { v: 'locf' } } }],
    [6050202, { $fill: { output: { v: { method: 'random' } } } }],
    [6050203, { $fill: { output: {} } }],
    [6050204, { $fill: { output: { v: { value: 1 } }, partitionBy: '$p', partitionByFields: ['p'] } }],
  ])('are refused by %d: %j', async (code, stage) => {
    const { sortBy, ...others } = (stage['$setWindowFields'] ?? {}) as Fields;
    const sent = stage['$fill'] ? stage : { $setWindowFields: sortBy === undefined ? others : { sortBy, ...others } };
    await expect(
      suite.over(
        [
          { x: 'text', same: 1 },
          { x: 1, same: 1 },
        ],
        sent,
      ),
    ).rejects.toMatchObject({ code });
  });
});
