import { Decimal128, Long } from 'bson';
import { CommandError } from '../command-error.js';
import { isNumber, type BsonNumber } from './bson-types.js';

/** A finite number as numerator / denominator. */
export interface Exact {
  numerator: bigint;
  denominator: bigint;
}

/** A finite decimal as digits / 10^scale. */
export interface Digits {
  digits: bigint;
  scale: number;
}

export function toDouble(value: BsonNumber): number {
  return typeof value === 'number' ? value : Number(value);
}

/** MongoDB takes any number but zero, and anything that is not null or false, for true. */
export function isTruthy(value: unknown): boolean {
  return isNumber(value) ? toDouble(value) !== 0 : value !== false && value !== null && value !== undefined;
}

/** The integer a limit, size or count was given as, whatever numeric type carried it. @throws CommandError by default 14 */
export function toInteger(value: unknown, name: string, noNumber = 14): number {
  if (!isNumber(value)) throw new CommandError(noNumber, `Expected ${name} to be a number`);
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

/** As it is written in decimal; undefined for NaN and the infinities. */
export function digitsOf(value: BsonNumber): Digits | undefined {
  const match = /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(value.toString());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction) * (sign ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}
