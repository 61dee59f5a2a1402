import { Decimal128, Long, ObjectId } from 'bson';
import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { isTruthy, toDouble } from '../values/numbers.js';
import { isNumber, namesOf, typeName } from '../values/bson-types.js';
import type { Document } from '../values/document.js';
import { parsedDate } from './date-expressions.js';
import { onlyArgument, type Expression } from './expression.js';

/** By the type that they make; undefined where they cannot. */
const CONVERSIONS: Record<string, (value: unknown) => unknown> = {
  string: (value) => (value instanceof ObjectId || typeof value === 'boolean' ? String(value) : textOf(value)),
  bool: isTruthy,
  int: (value) => (value instanceof Date ? undefined : integer(value, 32)),
  long: (value) => integer(value, 64),
  double: toNumber,
  decimal: (value) => {
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
    if (value instanceof ObjectId) return value.getTimestamp();
    if (typeof value === 'string') return parsedDate(value);
    return isNumber(value) ? new Date(toDouble(value)) : value instanceof Date ? value : undefined;
  },
};

export const CONVERSION_EXPRESSIONS: Record<string, Expression> = {
  ...Object.fromEntries(
    Object.keys(CONVERSIONS).map((type): [string, Expression] => [
      `$to${type.charAt(0).toUpperCase()}${type.slice(1)}`,
      (document, operand, options) => converted(onlyArgument(document, operand, options), type),
    ]),
  ),
  $convert: (document, operand, options) => {
    const { input, to, onNull, onError } = operand as Document;
    const value = evalExpr(document, input, options);
    if (value === undefined || value === null) return evalExpr(document, onNull, options) ?? null;
    const target = evalExpr(document, to, options);
    if (target === undefined || target === null) return null;
    const [type = ''] = namesOf(target);
    try {
      return converted(value, type);
    } catch (error) {
      if (onError === undefined) throw error;
      return evalExpr(document, onError, options);
    }
  },
};

function converted(value: unknown, type: string): unknown {
  if (value === undefined || value === null) return null;
  const result = CONVERSIONS[type]?.(value);
  if (result !== undefined) return result;
  throw new CommandError(241, `Failed to convert ${typeName(value)} to ${type} in $convert with no onError value`);
}

/** As the expressions of texts read their operands. @throws CommandError 16007 for what has no text */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || isNumber(value)) return String(value);
  throw new CommandError(16007, `can't convert from BSON type ${typeName(value)} to String`);
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

function integer(value: unknown, bits: number): number | Long | undefined {
  if (typeof value === 'string' && !/^[+-]?\d+$/.test(value)) return undefined;
  const isExact = typeof value === 'string' || value instanceof Long;
  const number = isExact ? value.toString().replace('+', '') : Math.trunc(toNumber(value) ?? NaN);
  if (!isExact && !Number.isFinite(number)) return undefined;
  const exact = BigInt(number);
  if (BigInt.asIntN(bits, exact) !== exact) return undefined;
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : Long.fromBigInt(exact);
}
