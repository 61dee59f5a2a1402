import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { CommandError } from '../command-error.js';

/** Stands in an index for the elements of an array that has none; sorts before null, as in MongoDB. */
export const EMPTY_ARRAY: unique symbol = Symbol('empty array');

/**
 * BSON's types by the names that `$type` takes: the number it takes as well, and the rank in BSON's order of types.
 * Values of types of the same rank compare by value.
 */
const TYPES = {
  minKey: { number: -1, rank: 0x01 },
  emptyArray: { number: NaN, rank: 0x05 },
  missing: { number: NaN, rank: 0x0a },
  null: { number: 10, rank: 0x0a },
  undefined: { number: 6, rank: 0x0a },
  int: { number: 16, rank: 0x14 },
  long: { number: 18, rank: 0x14 },
  double: { number: 1, rank: 0x14 },
  decimal: { number: 19, rank: 0x14 },
  string: { number: 2, rank: 0x1e },
  symbol: { number: 14, rank: 0x1e },
  object: { number: 3, rank: 0x28 },
  dbPointer: { number: 12, rank: 0x28 },
  array: { number: 4, rank: 0x32 },
  binData: { number: 5, rank: 0x3c },
  objectId: { number: 7, rank: 0x46 },
  bool: { number: 8, rank: 0x50 },
  date: { number: 9, rank: 0x5a },
  timestamp: { number: 17, rank: 0x64 },
  regex: { number: 11, rank: 0x6e },
  javascript: { number: 13, rank: 0x78 },
  javascriptWithScope: { number: 15, rank: 0x79 },
  maxKey: { number: 127, rank: 0x7f },
} as const;

export type TypeName = keyof typeof TYPES;
export type BsonNumber = number | Double | Int32 | Long | Decimal128;

export function typeName(value: unknown): TypeName {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return value === (value | 0) && !Object.is(value, -0) ? 'int' : 'double';
  if (typeof value === 'boolean') return 'bool';
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (value === EMPTY_ARRAY) return 'emptyArray';
  if (value instanceof ObjectId) return 'objectId';
  if (value instanceof Date) return 'date';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Double) return 'double';
  if (value instanceof Long) return value instanceof Timestamp ? 'timestamp' : 'long';
  if (value instanceof Int32) return 'int';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof Binary) return 'binData';
  if (value instanceof BSONRegExp) return 'regex';
  if (value instanceof Code) return value.scope ? 'javascriptWithScope' : 'javascript';
  if (value instanceof BSONSymbol) return 'symbol';
  if (value instanceof MinKey) return 'minKey';
  return value instanceof MaxKey ? 'maxKey' : 'object';
}

export function rankOf(value: unknown): number {
  return TYPES[typeName(value)].rank;
}

export function isNumber(value: unknown): value is BsonNumber {
  return typeof value === 'number' || (typeof value === 'object' && rankOf(value) === TYPES.int.rank);
}

export function isRegExp(value: unknown): value is BSONRegExp {
  return value instanceof BSONRegExp;
}

/** Test for `$type`. @throws CommandError 2 for a type that does not exist, 9 for none */
export function typeTest(operand: unknown): (value: unknown) => boolean {
  if (Array.isArray(operand) && operand.length === 0) throw new CommandError(9, '$type must match at least one type');
  const names = new Set<string>([operand].flat().flatMap(namesOf));
  return (value) => value !== undefined && names.has(typeName(value));
}

/** The name of a type, given by name or number; of all of them for `number`. @throws CommandError 2 for another */
export function namesOf(type: unknown): string[] {
  if (type === 'number') return ['int', 'long', 'double', 'decimal'];
  const found = Object.entries(TYPES).find(([name, { number }]) =>
    isNumber(type) ? Number(type) === number : name === type,
  );
  if (!found) throw new CommandError(2, `Unknown type name or number: ${String(type)}`);
  return [found[0]];
}
