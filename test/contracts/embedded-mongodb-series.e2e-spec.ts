import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER } from './embedded-mongodb-contract.js';

const date = (text: string) => new Date(`${text}Z`);

describe(`Stages for series of values on ${SERVER}`, () => {
  const suite = driverSuite();

  describe('$densify', () => {
    type Found = Record<string, unknown>[];
    const densified = async (documents: Found, specification: object): Promise<Found> => {
      return suite.over(documents, { $densify: specification });
    };
    const range = (bounds: unknown, step: unknown = 1, unit?: string) => ({ step, bounds, ...(unit && { unit }) });

    it('fills the bounds, beyond what there is and where there is nothing', async () => {
      const inBounds = { field: 'v', range: range([0, 5]) };
      expect(await densified([{ v: 1, n: 'a' }, { v: 2.5 }, { v: 3 }, { v: 9 }], inBounds)).toEqual([
        { v: 0 },
        { v: 1, n: 'a' },
        { v: 2 },
        { v: 2.5 },
        { v: 3 },
        { v: 4 },
        { v: 9 },
      ]);
      expect(await densified([], { field: 'v', range: range([0, 3]) })).toEqual([{ v: 0 }, { v: 1 }, { v: 2 }]);
      expect(await densified([{ v: -3 }], { field: 'v', range: range([2, 7], 2) })).toEqual([
        { v: -3 },
        { v: 2 },
        { v: 4 },
        { v: 6 },
      ]);
    });

    it('fills between the first and the last, whatever stands off the steps, and leaves what has no value', async () => {
      const documents = [{ v: 4 }, { v: 1 }, { n: 1 }, { v: 1.5 }, { v: null }];
      const found = await densified(documents, { field: 'v', range: range('full') });
      expect(found.filter(({ v }) => v !== null && v !== undefined)).toEqual([
        { v: 1 },
        { v: 1.5 },
        { v: 2 },
        { v: 3 },
        { v: 4 },
      ]);
      expect(found).toHaveLength(7);
      expect(await densified([{ n: 1 }], { field: 'v', range: range('full') })).toEqual([{ n: 1 }]);
    });

    it('ends where the last is, by steps of a fraction', async () => {
      const found = await densified([{ v: 0.1 }, { v: 0.5 }], { field: 'v', range: range('full', 0.1) });
      expect(found.at(-1)).toEqual({ v: 0.5 });
      const halves = await densified([{ v: 0 }, { v: 1 }], { field: 'v', range: range('full', 0.5) });
      expect(halves).toEqual([{ v: 0 }, { v: 0.5 }, { v: 1 }]);
    });

    it('makes nested fields, and steps of the calendar', async () => {
      const documents = [{ a: { d: date('2024-01-31T00:00') } }, { a: { d: date('2024-04-01T00:00') } }];
      expect(await densified(documents, { field: 'a.d', range: range('full', 1, 'month') })).toEqual([
        { a: { d: date('2024-01-31T00:00') } },
        { a: { d: date('2024-02-29T00:00') } },
        { a: { d: date('2024-03-29T00:00') } },
        { a: { d: date('2024-04-01T00:00') } },
      ]);
      const hours = range([date('2024-01-01T00:00'), date('2024-01-01T06:00')], 2, 'hour');
      expect(await densified([{ d: date('2024-01-01T02:00') }], { field: 'd', range: hours })).toEqual(
        [0, 2, 4].map((hour) => ({ d: date(`2024-01-01T0${hour}:00`) })),
      );
    });

    const byTwo = (found: Found) => found.map(({ p, q, v }) => `${String(p)}${String(q)}${String(v)}`).sort();
    it.each([
      ['partition', ['1x1', '1x2', '1x3', '2x2']],
      ['full', ['1x1', '1x2', '1x3', '2x1', '2x2', '2x3']],
      [
        [1, 3],
        ['1x1', '1x2', '1x3', '2x1', '2x2'],
      ],
    ])('fills each partition by %j', async (bounds, expected) => {
      const documents = [
        { v: 1, p: 1, q: 'x' },
        { v: 3, p: 1, q: 'x' },
        { v: 2, p: 2, q: 'x' },
      ];
      const specification = { field: 'v', partitionByFields: ['p', 'q'], range: range(bounds) };
      expect(byTwo(await densified(documents, specification))).toEqual(expected);
      expect(await densified([{ p: 5 }], specification)).toEqual([{ p: 5 }]);
    });

    it.each([
      [5733401, { field: 'v', range: { step: 0, bounds: 'full' } }],
      [5733402, { field: 'v', range: { step: 1, bounds: [2, 1] } }],
      [5733403, { field: 'v', range: { step: 1, bounds: [1] } }],
      [5733406, { field: 'v', range: { step: 1, bounds: [1, new Date()] } }],
      [5733408, { field: 'v', range: { step: 1, bounds: 'partition' } }],
      [5733409, { field: 'v', range: { step: 1, bounds: [1, 2], unit: 'day' } }],
      [5733410, { field: 'v', range: { step: 1, bounds: [new Date(0), new Date()] } }],
      [5897900, { field: 'v', range: { step: 1, bounds: [0, 600_000] } }],
      [5946802, { field: 'v', range: { step: 1, bounds: 'all' } }],
      [6586400, { field: 'v', range: { step: 1.5, bounds: 'full', unit: 'day' } }],
    ])('is refused by %d: %j', async (code, specification) => {
      await expect(densified([], specification)).rejects.toMatchObject({ code });
    });

    it.each(['text', new Date(0), [1]])('takes no %j for a number', async (v) => {
      await expect(densified([{ v }], { field: 'v', range: range('full') })).rejects.toThrow('$densify');
    });
  });
});
