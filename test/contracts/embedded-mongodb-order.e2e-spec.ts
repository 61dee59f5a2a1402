import { Decimal128, Double, Long, ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { sorted } from '../../src/infrastructure/database/embedded-mongodb/values/sort-key.js';
import { encode } from '../../src/infrastructure/database/embedded-mongodb/values/order.js';

describe('The order of values', () => {
  it('is that of BSON, across all types', () => {
    const ordered = [
      null,
      NaN,
      -Infinity,
      Long.fromString('-9007199254740993'),
      -1.5,
      0,
      Decimal128.fromString('0.1'),
      0.1,
      Decimal128.fromString('0.1000000000000000055511151231257828'),
      1,
      Long.fromString('9007199254740992'),
      Long.fromString('9007199254740993'),
      Decimal128.fromString('9007199254740993.5'),
      Infinity,
      '',
      'a',
      'a\0',
      'a\0b',
      'ab',
      'é',
      '\u{ffff}',
      '\u{10000}',
      {},
      { a: 1 },
      { a: 1, b: 1 },
      { a: 2 },
      [],
      [1],
      [1, 2],
      [2],
      new ObjectId('000000000000000000000001'),
      new ObjectId('000000000000000000000002'),
      false,
      true,
      new Date(-1),
      new Date(0),
      new Date(1),
    ];
    const sorted = [...ordered].reverse().sort((a, b) => Buffer.compare(encode(a), encode(b)));
    expect(sorted).toEqual(ordered);
  });

  it('is that of all of a value, however long it is', () => {
    // Around the sizes at which the buffer for it grows.
    const lengths = [2_048, 4_096, 8_192].flatMap((size) => Array.from({ length: 16 }, (_, i) => size - 8 + i));
    for (const length of lengths) {
      const value = Array.from({ length }, () => true);
      expect(Buffer.compare(encode(value), encode([...value, true])), String(length)).toBe(-1);
      expect(encode([...value, true]).length - encode(value).length, String(length)).toBe(2);
    }
  });

  it('is kept by the first of very many, those that are equal among them', () => {
    const items = Array.from({ length: 5_000 }, (_, place) => ({ place, n: (place * 7_919) % 500 }));
    const keyOf = ({ n }: { n: number }) => encode(n);
    const all = sorted(items, keyOf);
    expect(all).toEqual(items.toSorted((a, b) => a.n - b.n || a.place - b.place));
    for (const most of [0, 1, 25, 4_999, 5_000, 9_000]) expect(sorted(items, keyOf, most)).toEqual(all.slice(0, most));
  });

  it('knows equal numbers of different types', () => {
    const one = [1, new Double(1), Long.fromNumber(1), Decimal128.fromString('1.00')].map((n) =>
      encode(n).toString('hex'),
    );
    expect(new Set(one).size).toBe(1);
  });
});
