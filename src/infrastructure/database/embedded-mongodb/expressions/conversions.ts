import { Decimal128, Long, ObjectId } from 'bson';
import { CommandError } from '../command-error.js';
import { bsonDouble } from '../values/arithmetic.js';
import { isNumber, namesOf, typeName, type BsonNumber } from '../values/bson-types.js';
import { digitsOf, isTruthy, toDouble } from '../values/numbers.js';
import { momentOf, parsedDate } from './clocks.js';
import { argumentsOf, isNothing, ordered, strict, type Operators } from './expression.js';

/** Conversions by target type; undefined if a value cannot be converted. */
const MAKERS: Record<string, (value: unknown) => unknown> = {
  string: (value) => {
    if (isDouble(value)) return textOfDouble(toDouble(value), 16);
    return value instanceof ObjectId || typeof value === 'boolean' ? String(value) : textOf(value);
  },
  bool: isTruthy,
  int: (value) => ifKnown(value instanceof Date ? undefined : integer(value, 32), Number),
  long: (value) => ifKnown(integer(value, 64), (exact) => Long.fromBigInt(exact)),
  double: (value) => ifKnown(toNumber(value), bsonDouble),
  decimal: (value) => {
    if (isDouble(value) && toDouble(value)) return Decimal128.fromString(toDouble(value).toPrecision(15));
    try {
      return Decimal128.fromString(String(isNumber(value) || typeof value === 'string' ? value : toNumber(value)));
    } catch {
      return undefined;
    }
  },
  objectId: (value) => {
    if (value instanceof ObjectId) return value;
    return /^[0-9a-f]{24}$/i.test(String(value)) ? ObjectId.createFromHexString(String(value)) : undefined;
  },
  date: (value) => {
    if (typeof value === 'string') return parsedDate(value);
    if (typeName(value) === 'int') return undefined;
    const date = isNumber(value) ? new Date(toDouble(value)) : momentOf(value);
    return Number.isNaN(date?.getTime()) ? undefined : date;
  },
};

function ifKnown<T>(value: T | undefined, make: (value: T) => unknown): unknown {
  return value === undefined ? undefined : make(value);
}

export const CONVERSIONS: Operators = {
  ...Object.fromEntries(
    Object.keys(MAKERS).map((type) => [
      `$to${type.charAt(0).toUpperCase()}${type.slice(1)}`,
      strict([1, 1], ([value]) => converted(value, type)),
    ]),
  ),
  $convert: (operand, { compile }, name) => {
    const given = argumentsOf(name, operand, 'input to onError? onNull?');
    const [input, to, onNull, onError] = ['input', 'to', 'onNull', 'onError'].map((one) => compile(given[one]));
    return (document, variables) => {
      const value = input?.(document, variables);
      if (isNothing(value)) return 'onNull' in given ? onNull?.(document, variables) : null;
      const target = to?.(document, variables);
      if (isNothing(target)) return null;
      const [type = '', another] = namesOf(target);
      if (another) throw new CommandError(2, `Unknown type name: ${String(target)}`);
      try {
        return converted(value, type);
      } catch (error) {
        if (!('onError' in given)) throw error;
        return onError?.(document, variables);
      }
    };
  },
  $type: ordered([1, 1], ([value]) => typeName(value)),
  $isNumber: ordered([1, 1], ([value]) => isNumber(value)),
};

function converted(value: unknown, type: string): unknown {
  const result = MAKERS[type]?.(value);
  if (result !== undefined) return result;
  throw new CommandError(241, `Failed to convert ${typeName(value)} to ${type} in $convert with no onError value`);
}

/** A value as text, as string operators read their operands. @throws CommandError 16007 for a value without one */
export function textOf(value: unknown): string {
  if (isNothing(value)) return '';
  if (value instanceof Date) return value.toISOString();
  if (isDouble(value)) return textOfDouble(Number(toDouble(value).toPrecision(6)), 6);
  if (typeof value === 'string' || isNumber(value)) return String(value);
  throw new CommandError(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

function isDouble(value: unknown): value is BsonNumber {
  return typeName(value) === 'double';
}

/** With an exponent below 10^-4, and from so many digits, as C++ writes it. */
function textOfDouble(value: number, digits: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  if (Number(exponent) >= -4 && Number(exponent) < digits) return String(value);
  return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'boolean' || value instanceof Date) return Number(value);
  if (isNumber(value)) return toDouble(value);
  if (typeof value !== 'string') return undefined;
  const [, sign = '', beyond] = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(value) ?? [];
  if (beyond) return /^n/i.test(beyond) ? NaN : sign === '-' ? -Infinity : Infinity;
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** A number without its fraction. @returns undefined if it is no number, or does not fit into so many bits */
function integer(value: unknown, bits: 32 | 64): bigint | undefined {
  const exact = exactInteger(value);
  return exact !== undefined && BigInt.asIntN(bits, exact) === exact ? exact : undefined;
}

function exactInteger(value: unknown): bigint | undefined {
  if (typeof value === 'string') return /^[+-]?\d+$/.test(value) ? BigInt(value.replace('+', '')) : undefined;
  if (value instanceof Long) return value.toBigInt();
  if (value instanceof Decimal128) {
    const decimal = digitsOf(value);
    return decimal && decimal.digits / 10n ** BigInt(decimal.scale);
  }
  const number = Math.trunc(toNumber(value) ?? NaN);
  return Number.isFinite(number) ? BigInt(number) : undefined;
}
