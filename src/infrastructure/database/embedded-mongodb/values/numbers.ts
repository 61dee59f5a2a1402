import { CommandError } from '../command-error.js';
import { isNumber, type BsonNumber } from './bson-types.js';

/** A finite number, exactly: digits / 10^scale. */
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

/** What a finite double is in binary: 0.1 is a little more than it is written. */
export function exactDigitsOf(value: number): Digits {
  let scale = 0;
  let whole = value;
  for (; !Number.isInteger(whole); scale++) whole *= 2;
  return { digits: BigInt(whole) * 5n ** BigInt(scale), scale };
}

/** Both to the same scale. */
export function aligned(a: Digits, b: Digits): { x: bigint; y: bigint; scale: number } {
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [a, b].map((one) => one.digits * 10n ** BigInt(scale - one.scale)) as [bigint, bigint];
  return { x, y, scale };
}

/** As it is written in decimal; undefined for NaN and the infinities. */
export function digitsOf(value: BsonNumber | string): Digits | undefined {
  const match = /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(value.toString());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction) * (sign ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}
