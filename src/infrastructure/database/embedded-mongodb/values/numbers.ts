import { Decimal128, Double, Long } from 'bson';
import { CommandError } from '../command-error.js';
import { isNumber, typeName, type BsonNumber } from './bson-types.js';

/** A finite number as numerator / denominator. */
export interface Exact {
  numerator: bigint;
  denominator: bigint;
}

/** A finite decimal as digits / 10^scale. */
interface Digits {
  digits: bigint;
  scale: number;
}

export function toDouble(value: BsonNumber): number {
  return typeof value === 'number' ? value : Number(value);
}

/** The integer a limit, size or count was given as, whatever numeric type carried it. @throws CommandError 14 */
export function toInteger(value: unknown, name: string): number {
  if (!isNumber(value)) throw new CommandError(14, `Expected ${name} to be a number`);
  const number = toDouble(value);
  if (!Number.isSafeInteger(number)) throw new CommandError(2, `Expected ${name} to be an integer`);
  return number;
}

/** Exact value of an int64, decimal or double; undefined for NaN and the infinities. */
export function exactValue(value: BsonNumber): Exact | undefined {
  if (value instanceof Long) return { numerator: value.toBigInt(), denominator: 1n };
  if (!(value instanceof Decimal128))
    return Number.isFinite(toDouble(value)) ? exactDouble(toDouble(value)) : undefined;
  const decimal = digitsOf(value);
  return decimal && { numerator: decimal.digits, denominator: 10n ** BigInt(decimal.scale) };
}

export function exactDouble(value: number): Exact {
  let scale = 0;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    scale++;
  }
  return { numerator: BigInt(scaled), denominator: 1n << BigInt(scale) };
}

function digitsOf(value: BsonNumber): Digits | undefined {
  const match = /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(value.toString());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction) * (sign ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** To 34 digits, as many as a decimal has. */
export function quotient(dividend: Decimal128, divisor: number): Decimal128 {
  const decimal = digitsOf(dividend);
  if (!decimal) return dividend;
  const places = 34;
  const digits = (decimal.digits * 10n ** BigInt(places)) / BigInt(divisor);
  return Decimal128.fromStringWithRounding(`${digits}E-${decimal.scale + places}`);
}

export interface Arithmetic {
  double(a: number, b: number): number;
  integer(a: bigint, b: bigint): bigint;
  decimal(a: Digits, b: Digits): Digits;
}

export const ADDITION: Arithmetic = {
  double: (a, b) => a + b,
  integer: (a, b) => a + b,
  decimal: (a, b) => {
    const scale = Math.max(a.scale, b.scale);
    const [x, y] = [a, b].map((one) => one.digits * 10n ** BigInt(scale - one.scale)) as [bigint, bigint];
    return { digits: x + y, scale };
  },
};

export const MULTIPLICATION: Arithmetic = {
  double: (a, b) => a * b,
  integer: (a, b) => a * b,
  decimal: (a, b) => ({ digits: a.digits * b.digits, scale: a.scale + b.scale }),
};

/** In MongoDB's result type: int grows to long, double and decimal win. @throws CommandError 2 on int64 overflow */
export function calculate({ double, integer, decimal }: Arithmetic, a: BsonNumber, b: BsonNumber): BsonNumber {
  const types = [typeName(a), typeName(b)];
  if (types.includes('decimal')) {
    const [x, y] = [digitsOf(a), digitsOf(b)];
    const result = x && y && decimal(x, y);
    return Decimal128.fromStringWithRounding(
      result ? `${result.digits}E-${result.scale}` : String(double(toDouble(a), toDouble(b))),
    );
  }
  if (types.includes('double')) {
    const result = double(toDouble(a), toDouble(b));
    return typeName(result) === 'int' ? new Double(result) : result;
  }
  const result = integer(BigInt(a.toString()), BigInt(b.toString()));
  if (BigInt.asIntN(64, result) !== result) throw new CommandError(2, 'The result is too large for an int64');
  return types.includes('long') || BigInt.asIntN(32, result) !== result ? Long.fromBigInt(result) : Number(result);
}
