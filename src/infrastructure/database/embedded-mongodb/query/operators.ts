import { Binary, Decimal128, Long, MaxKey, MinKey } from 'bson';
import { CommandError, unsupported } from '../command-error.js';
import type { Fold } from '../values/collation.js';
import { isOperatorDocument, own } from '../values/document.js';
import { digitsOf, isTruthy, toDouble, toInteger } from '../values/numbers.js';
import { Whole } from '../values/leaves.js';
import { compare, encode, equal, identity } from '../values/order.js';
import { toRegExp } from '../values/regex.js';
import { type BsonNumber, isNumber, isRegExp, rankOf, typeTest } from '../values/bson-types.js';

/**
 * Decides on the values a path leads to, see filteredLeaves().
 * @param isElement true for an element of an array, which is one value and not opened if it is an array itself
 */
export type LeavesTest = (found: readonly unknown[], isElement?: boolean) => boolean;

type ValueTest = (value: unknown) => boolean;

/** The operators that stand below a field and need nothing but its values. */
const OPERATORS: Record<string, (operand: unknown, fold?: Fold) => LeavesTest> = {
  $eq: (operand, fold) => some(isRegExp(operand) ? (value) => equal(value, operand) : equality(operand, fold)),
  $ne: (operand, fold) => not(some(equality(refuseRegExp(operand), fold))),
  $gt: (operand, fold) => some(ordering(operand, fold, (order) => order > 0)),
  $gte: (operand, fold) => some(ordering(operand, fold, (order) => order >= 0)),
  $lt: (operand, fold) => some(ordering(operand, fold, (order) => order < 0)),
  $lte: (operand, fold) => some(ordering(operand, fold, (order) => order <= 0)),
  $in: (operand, fold) => some(membership(operand, fold)),
  $nin: (operand, fold) => not(some(membership(operand, fold))),
  $exists: (operand) => (found) => found.some((value) => value !== undefined) === isTruthy(operand),
  $type: (operand) => some(typeTest(operand)),
  $size: sizeTest,
  $mod: (operand) => some(modulo(operand)),
  $bitsAllSet: (operand) => some(bitTest(operand, (bits, mask) => (bits & mask) === mask)),
  $bitsAllClear: (operand) => some(bitTest(operand, (bits, mask) => (bits & mask) === 0n)),
  $bitsAnySet: (operand) => some(bitTest(operand, (bits, mask) => (bits & mask) !== 0n)),
  $bitsAnyClear: (operand) => some(bitTest(operand, (bits, mask) => (bits & mask) !== mask)),
};

const REFUSED = ['$near', '$nearSphere', '$geoWithin', '$geoIntersects', '$within', '$text'];

export function compileOperator(operator: string, operand: unknown, fold?: Fold): LeavesTest {
  if (REFUSED.includes(operator)) throw unsupported(`Query operator ${operator}`, 2);
  const compile = own(OPERATORS, operator);
  if (!compile) throw new CommandError(2, `unknown operator: ${operator}`);
  return compile(operand, fold);
}

export function equality(operand: unknown, fold?: Fold): ValueTest {
  if (isRegExp(operand)) return patternTest(operand);
  if (operand === null || operand === undefined) return (value) => value === undefined || value === null;
  const rank = rankOf(operand);
  const wanted = encode(operand, fold);
  return (value) => {
    if (typeof value === 'string' && typeof operand === 'string' && !fold) return value === operand;
    return value !== undefined && rankOf(value) === rank && encode(value, fold).equals(wanted);
  };
}

function patternTest(operand: Parameters<typeof toRegExp>[0]): ValueTest {
  const pattern = toRegExp(operand);
  return (value) => (typeof value === 'string' ? pattern.test(value) : isRegExp(value) && equal(value, operand));
}

/** Tries the leaves, and the elements of those that are arrays. */
export function some(test: ValueTest): LeavesTest {
  return (found, isElement) =>
    found.some((leaf) =>
      leaf instanceof Whole ? test(leaf.array) : test(leaf) || (!isElement && Array.isArray(leaf) && leaf.some(test)),
    );
}

/** The array that a leaf is, however it was reached. */
export function arrayOf(leaf: unknown): unknown[] | undefined {
  if (leaf instanceof Whole) return leaf.array;
  return Array.isArray(leaf) ? leaf : undefined;
}

export function not(test: LeavesTest): LeavesTest {
  return (found, isElement) => !test(found, isElement);
}

function refuseRegExp(operand: unknown): unknown {
  if (isRegExp(operand)) throw new CommandError(2, "Can't have RegEx as arg to a comparison.");
  return operand;
}

/**
 * Only values of the operand's own type compare: {$lt: 5} never finds a string. MinKey and MaxKey bound all types, and
 * what is missing.
 */
function ordering(operand: unknown, fold: Fold | undefined, accepts: (order: number) => boolean): ValueTest {
  refuseRegExp(operand);
  const bounds = operand instanceof MinKey || operand instanceof MaxKey;
  const rank = rankOf(operand);
  return (value = null) => {
    if (!bounds && rankOf(value) !== rank) return false;
    // NaN is neither above nor below any number, though it sorts below all of them.
    if (!bounds && isNaNumber(value) !== isNaNumber(operand)) return false;
    return accepts(compare(value, operand, fold));
  };
}

function isNaNumber(value: unknown): boolean {
  return isNumber(value) && Number.isNaN(toDouble(value));
}

function membership(operand: unknown, fold?: Fold): ValueTest {
  if (!Array.isArray(operand)) throw new CommandError(2, '$in and $nin need an array');
  if (operand.some(isOperatorDocument)) throw new CommandError(2, 'cannot nest $ under $in or $nin');
  const patterns = operand.filter(isRegExp).map(patternTest);
  const wanted = new Set(operand.filter((item) => !isRegExp(item)).map((item) => identity(item, fold)));
  return (value) => wanted.has(identity(value, fold)) || patterns.some((test) => test(value));
}

function sizeTest(operand: unknown): LeavesTest {
  const size = toInteger(operand, '$size');
  if (size < 0) throw new CommandError(2, '$size may not be negative');
  return (found) => found.some((leaf) => arrayOf(leaf)?.length === size);
}

function modulo(operand: unknown): ValueTest {
  if (!Array.isArray(operand) || operand.length !== 2) throw new CommandError(2, 'malformed mod, needs two numbers');
  const [divisor, remainder] = operand.map(int64Of);
  if (!divisor || remainder === undefined) throw new CommandError(2, 'divisor cannot be 0 or not a number');
  return (value) => {
    const whole = int64Of(value);
    return whole !== undefined && whole % divisor === remainder;
  };
}

/** A number without its fraction; undefined for what is none, or is beyond int64. */
function int64Of(value: unknown): bigint | undefined {
  if (!isNumber(value)) return undefined;
  const whole = wholeOf(value);
  return whole !== undefined && BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

function wholeOf(value: BsonNumber): bigint | undefined {
  if (value instanceof Long) return value.toBigInt();
  if (value instanceof Decimal128) {
    const exact = digitsOf(value);
    return exact && exact.digits / 10n ** BigInt(exact.scale);
  }
  const double = toDouble(value);
  return Number.isFinite(double) ? BigInt(Math.trunc(double)) : undefined;
}

function bitTest(operand: unknown, accepts: (bits: bigint, mask: bigint) => boolean): ValueTest {
  const positions = Array.isArray(operand) ? operand.map((position) => BigInt(toInteger(position, 'position'))) : [];
  if (positions.some((position) => position < 0n)) throw new CommandError(2, 'bit positions must be >= 0');
  const mask = Array.isArray(operand) ? positions.reduce((bits, one) => bits | (1n << one), 0n) : bitsOf(operand);
  if (mask === undefined || mask < 0n) throw new CommandError(2, 'A bit mask is an integer >= 0, BinData or an array');
  return (value) => {
    const bits = bitsOf(value);
    return bits !== undefined && accepts(bits, mask);
  };
}

function bitsOf(value: unknown): bigint | undefined {
  if (value instanceof Binary) return BigInt(`0x0${Buffer.from(value.value()).reverse().toString('hex')}`);
  const whole = int64Of(value);
  return whole !== undefined && equal(value, Long.fromBigInt(whole)) ? whole : undefined;
}
