import { randomInt } from 'node:crypto';
import { Decimal128, Long } from 'bson';
import { CommandError } from '../command-error.js';
import {
  ADDITION,
  bsonDouble,
  bsonInteger,
  calculate,
  MULTIPLICATION,
  quotient,
  REMAINDER,
  rounded,
  SUBTRACTION,
  type Arithmetic,
  type Rounding,
} from '../values/arithmetic.js';
import { isNumber, typeName, type BsonNumber } from '../values/bson-types.js';
import { toDouble, toInteger } from '../values/numbers.js';
import { dateAt } from './clocks.js';
import { argumentsOf, strict, type Operator, type Operators } from './expression.js';

/** Number of different values of `$rand`: as many as a random integer of the system may have. */
const RANDOM_STEPS = 2 ** 47;

export const ARITHMETIC: Operators = {
  $add: strict([0, Infinity], (values) => {
    if (values.filter((value) => value instanceof Date).length > 1) {
      throw new CommandError(16612, 'only one date allowed in an $add expression');
    }
    const sum = values.map(dateless).reduce<BsonNumber>((total, value) => combine('$add', ADDITION, total, value), 0);
    return values.some((value) => value instanceof Date) ? dateAt(Math.round(Number(sum))) : sum;
  }),
  $subtract: strict([2, 2], ([a, b]) => {
    if (b instanceof Date && !(a instanceof Date)) throw new CommandError(14, "can't $subtract a date from that");
    const difference = combine('$subtract', SUBTRACTION, dateless(a), dateless(b));
    return a instanceof Date && !(b instanceof Date) ? dateAt(Math.round(Number(difference))) : difference;
  }),
  $multiply: strict([0, Infinity], (values) =>
    values.reduce<BsonNumber>((product, value) => combine('$multiply', MULTIPLICATION, product, value), 1),
  ),
  $divide: strict([2, 2], ([a, b]) => quotient(number('$divide', a), divisor('$divide', b))),
  $mod: strict([2, 2], ([a, b]) => combine('$mod', REMAINDER, a, divisor('$mod', b))),
  $abs: strict([1, 1], ([value]) => {
    const given = number('$abs', value);
    return toDouble(given) < 0 ? combine('$abs', SUBTRACTION, 0, given) : given;
  }),
  $ceil: rounding('$ceil', 'ceiling', 1),
  $floor: rounding('$floor', 'floor', 1),
  $round: rounding('$round', 'halfEven', 2),
  $trunc: rounding('$trunc', 'down', 2),
  $rand: (operand, _compiler, name) => {
    argumentsOf(name, operand, '');
    return () => bsonDouble(randomInt(RANDOM_STEPS) / RANDOM_STEPS);
  },
  $exp: ofDoubles('$exp', 1, Math.exp),
  $pow: strict([2, 2], (values) => wholePower(values) ?? power(values)),
  $sqrt: ofDoubles('$sqrt', 1, (value) => {
    if (value < 0) throw new CommandError(28714, "$sqrt's argument must be greater than or equal to 0");
    return Math.sqrt(value);
  }),
  $ln: ofDoubles('$ln', 1, (value) => Math.log(positive('$ln', 28766, value))),
  $log10: ofDoubles('$log10', 1, (value) => Math.log10(positive('$log10', 28761, value))),
  $log: ofDoubles('$log', 2, (value, base) => {
    if (base === 1) throw new CommandError(28759, "$log's base must be a positive number not equal to 1");
    return Math.log(positive('$log', 28758, value)) / Math.log(positive('$log', 28759, base));
  }),
};

/** A function that is calculated with doubles, for decimals too. */
function ofDoubles(name: string, count: number, calculation: (a: number, b: number) => number): Operator {
  return strict([count, count], inDoubles(name, calculation));
}

function inDoubles(name: string, calculation: (a: number, b: number) => number) {
  return (values: unknown[]): BsonNumber => {
    const [a = NaN, b = NaN] = values.map((value) => toDouble(number(name, value)));
    const result = calculation(a, b);
    const isDecimal = values.some((value) => value instanceof Decimal128);
    return isDecimal ? Decimal128.fromString(String(result)) : bsonDouble(result);
  };
}

const power = inDoubles('$pow', (base, exponent) => {
  if (base === 0 && exponent < 0) throw new CommandError(28764, '$pow cannot take a base of 0 and a negative exponent');
  return base ** exponent;
});

/** Exact, of integers whose power is one, and fits into an int64. */
function wholePower(values: unknown[]): BsonNumber | undefined {
  const types = values.map(typeName);
  if (!types.every((type) => type === 'int' || type === 'long')) return undefined;
  const [base, exponent] = values.map((value) => BigInt(String(value))) as [bigint, bigint];
  if (exponent < 0n || Math.abs(Number(base) ** Number(exponent)) >= 2 ** 63) return undefined;
  return bsonInteger(base ** exponent, types.includes('long'));
}

function positive(name: string, code: number, value: number): number {
  if (!(value <= 0)) return value;
  throw new CommandError(code, `${name}'s argument must be a positive number`);
}

function rounding(name: string, how: Rounding, most: number): Operator {
  return strict([1, most], ([value, places = 0]) => {
    const to = toInteger(places, name);
    if (to < -20 || to > 100) throw new CommandError(51083, `${name} takes a precision of -20 to 100`);
    return rounded(number(name, value), to, how);
  });
}

/** @throws CommandError 14 for a value that is not a number */
function combine(name: string, arithmetic: Arithmetic, a: unknown, b: unknown): BsonNumber {
  return calculate(arithmetic, number(name, a), number(name, b), 'double');
}

function number(name: string, value: unknown): BsonNumber {
  if (isNumber(value)) return value;
  throw new CommandError(14, `${name} only supports numeric types`);
}

function divisor(name: string, value: unknown): BsonNumber {
  if (toDouble(number(name, value)) === 0) throw new CommandError(2, `can't ${name} by zero`);
  return value as BsonNumber;
}

function dateless(value: unknown): unknown {
  return value instanceof Date ? Long.fromNumber(value.getTime()) : value;
}
