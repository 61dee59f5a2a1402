import { Decimal128, Double, Long } from 'bson';
import { CommandError } from '../command-error.js';
import { typeName, type BsonNumber } from './bson-types.js';
import { aligned, digitsOf, exactDigitsOf, toDouble, type Digits } from './numbers.js';

/** An operation on numbers, in each of the types in which BSON calculates. */
export interface Arithmetic {
  double(a: number, b: number): number;
  integer(a: bigint, b: bigint): bigint;
  decimal(a: Digits, b: Digits): Digits;
}

export const ADDITION = onOneScale({ double: (a, b) => a + b, integer: (a, b) => a + b });
export const SUBTRACTION = onOneScale({ double: (a, b) => a - b, integer: (a, b) => a - b });

/** The rest of a division, with the sign of what was divided. */
export const REMAINDER = onOneScale({ double: (a, b) => a % b, integer: (a, b) => a % b });

export const MULTIPLICATION: Arithmetic = {
  double: (a, b) => a * b,
  integer: (a, b) => a * b,
  decimal: (a, b) => ({ digits: a.digits * b.digits, scale: a.scale + b.scale }),
};

/** Decimals of the same scale are calculated like integers. */
function onOneScale(operation: Pick<Arithmetic, 'double' | 'integer'>): Arithmetic {
  const decimal = (a: Digits, b: Digits): Digits => {
    const { x, y, scale } = aligned(a, b);
    return { digits: operation.integer(x, y), scale };
  };
  return { ...operation, decimal };
}

/**
 * In MongoDB's result type: int grows to long, double and decimal win.
 * @param overflow what becomes of a result beyond int64, see below
 * @throws CommandError 2 on int64 overflow, unless it is to be a double
 */
export function calculate(
  arithmetic: Arithmetic,
  a: BsonNumber,
  b: BsonNumber,
  overflow: 'error' | 'double' = 'error',
): BsonNumber {
  const types = [typeName(a), typeName(b)];
  if (types.includes('decimal')) {
    const [x, y] = [decimalDigitsOf(a), decimalDigitsOf(b)];
    if (x && y) return toDecimal(arithmetic.decimal(x, y));
    return Decimal128.fromString(String(arithmetic.double(toDouble(a), toDouble(b))));
  }
  if (types.includes('double')) return bsonDouble(arithmetic.double(toDouble(a), toDouble(b)));
  const result = arithmetic.integer(BigInt(a.toString()), BigInt(b.toString()));
  if (BigInt.asIntN(64, result) !== result) {
    if (overflow === 'double') return bsonDouble(Number(result));
    throw new CommandError(2, 'The result is too large for an int64');
  }
  return bsonInteger(result, types.includes('long'));
}

/** An int if it fits into one, unless it is to be a long. */
export function bsonInteger(value: bigint, isLong: boolean): number | Long {
  return isLong || BigInt.asIntN(32, value) !== value ? Long.fromBigInt(value) : Number(value);
}

/** A double as decode() leaves it: a plain number would be an int32 where it looks like one. */
export function bsonDouble(value: number): number | Double {
  return typeName(value) === 'int' ? new Double(value) : value;
}

/** A decimal where one of them is, to 34 digits; otherwise a double. */
export function quotient(a: BsonNumber, b: BsonNumber): BsonNumber {
  const result = toDouble(a) / toDouble(b);
  if (!(a instanceof Decimal128 || b instanceof Decimal128)) return bsonDouble(result);
  const [x, y] = [decimalDigitsOf(a), decimalDigitsOf(b)];
  if (!x || !y) return Decimal128.fromString(String(result));
  const places = 34 + String(y.digits).length;
  const exact = { digits: (x.digits * 10n ** BigInt(places)) / y.digits, scale: x.scale - y.scale + places };
  return toDecimal(shortened(exact, Math.max(0, x.scale - y.scale)));
}

/** Of a double MongoDB takes 15 digits when it calculates with decimals. */
function decimalDigitsOf(value: BsonNumber): Digits | undefined {
  const isFraction = typeName(value) === 'double' && toDouble(value) !== 0;
  return digitsOf(isFraction ? toDouble(value).toPrecision(15) : value);
}

/** The decimal nearest to what a double is in binary. Sums are of these. */
export function exactDecimal(value: number): Decimal128 {
  return Number.isFinite(value) ? toDecimal(exactDigitsOf(value)) : Decimal128.fromString(String(value));
}

/** Of a Decimal128. */
const DECIMAL_DIGITS = 34;

export type Rounding = 'halfEven' | 'down' | 'floor' | 'ceiling';

/** To so many places behind the point, or before it where negative; in the type that it had. */
export function rounded(value: BsonNumber, places: number, rounding: Rounding): BsonNumber {
  const isDouble = typeName(value) === 'double';
  // Of a double, what it is in binary: 2.675 lies below its middle.
  const exact = isDouble && Number.isFinite(toDouble(value)) ? exactDigitsOf(toDouble(value)) : digitsOf(value);
  if (!exact || exact.scale <= places) return value;
  const unit = 10n ** BigInt(exact.scale - places);
  const digits = divided(exact.digits, unit, rounding);
  if (value instanceof Decimal128) return toDecimal({ digits, scale: places });
  if (isDouble) return bsonDouble(Number(`${digits}E${-places}`));
  return bsonInteger(digits * 10n ** BigInt(-places), value instanceof Long);
}

/** How many units there are in a number, to a whole one. */
function divided(digits: bigint, unit: bigint, rounding: Rounding): bigint {
  const [whole, rest] = [digits / unit, digits % unit];
  const away = rest < 0n ? -1n : 1n;
  const twice = 2n * rest * away;
  const isAway = {
    down: false,
    floor: rest < 0n,
    ceiling: rest > 0n,
    halfEven: twice > unit || (twice === unit && whole % 2n !== 0n),
  };
  return isAway[rounding] ? whole + away : whole;
}

/** Without the zeros at its end. */
function shortened({ digits, scale }: Digits, leastScale: number): Digits {
  return scale > leastScale && digits % 10n === 0n
    ? shortened({ digits: digits / 10n, scale: scale - 1 }, leastScale)
    : { digits, scale };
}

/** Of more digits than fit, the nearest; infinite or zero where it is beyond all of them. */
function toDecimal({ digits, scale }: Digits): Decimal128 {
  const excess = String(digits).replace('-', '').length - DECIMAL_DIGITS;
  if (excess > 0) {
    return toDecimal({ digits: divided(digits, 10n ** BigInt(excess), 'halfEven'), scale: scale - excess });
  }
  try {
    return Decimal128.fromStringWithRounding(`${digits}E${-scale}`);
  } catch {
    return Decimal128.fromString(scale > 0 ? '0E-6176' : `${digits < 0n ? '-' : ''}Infinity`);
  }
}
