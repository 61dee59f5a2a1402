import { Decimal128, Long } from 'bson';
import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import {
  ADDITION,
  calculate,
  MULTIPLICATION,
  quotient,
  REMAINDER,
  rounded,
  SUBTRACTION,
  type Arithmetic,
  type Rounding,
} from '../values/arithmetic.js';
import { isNumber } from '../values/bson-types.js';
import { toDouble, toInteger } from '../values/numbers.js';
import type { Expression } from './expression.js';

/** As promote() leaves them. */
type Operand = number | Long | Decimal128;

/** Arithmetic that is exact for decimals and for int64 beyond 2^53, of which mingo knows neither. */
export const ARITHMETIC_EXPRESSIONS: Record<string, Expression> = {
  $add: calculated((values) => {
    const dates = values.filter((value) => value instanceof Date);
    if (dates.length > 1) throw new CommandError(16612, 'only one date allowed in an $add expression');
    const sum = values.map(dateless).reduce<Operand>((total, value) => combine('$add', ADDITION, total, value), 0);
    return dates.length > 0 ? new Date(Number(sum)) : sum;
  }),
  $subtract: calculated(([a, b]) => {
    if (b instanceof Date && !(a instanceof Date)) throw new CommandError(14, "can't $subtract a date from that");
    const difference = combine('$subtract', SUBTRACTION, dateless(a), dateless(b));
    return a instanceof Date && !(b instanceof Date) ? new Date(Number(difference)) : difference;
  }),
  $multiply: calculated((values) =>
    values.reduce<Operand>((total, value) => combine('$multiply', MULTIPLICATION, total, value), 1),
  ),
  $divide: calculated(([a, b]) => quotient(number('$divide', a), divisor('$divide', b))),
  $mod: calculated(([a, b]) => combine('$mod', REMAINDER, a, divisor('$mod', b))),
  $abs: calculated(([value]) => (Number(value) < 0 ? combine('$abs', SUBTRACTION, 0, value) : number('$abs', value))),
  $ceil: rounding('$ceil', 'ceiling'),
  $floor: rounding('$floor', 'floor'),
  $round: rounding('$round', 'halfEven'),
  $trunc: rounding('$trunc', 'down'),
  $ln: logarithm('$ln', 28766, ([value]) => Math.log(value as number)),
  $log10: logarithm('$log10', 28761, ([value]) => Math.log10(value as number)),
  $log: logarithm('$log', 28758, ([value, base]) => Math.log(value as number) / Math.log(base as number)),
  $bitAnd: ofBits((bits, mask) => bits & mask, -1n),
  $bitOr: ofBits((bits, mask) => bits | mask, 0n),
  $bitXor: ofBits((bits, mask) => bits ^ mask, 0n),
  $bitNot: calculated(([value]) => fromBits(~bitsOf(value))),
};

/** Of nothing comes null. */
function calculated(calculation: (values: unknown[]) => unknown): Expression {
  return (document, operand, options) => {
    const found = evalExpr(document, operand, options);
    const values = Array.isArray(operand) ? (found as unknown[]) : [found];
    return values.some((value) => value === undefined || value === null) ? null : calculation(values);
  };
}

function logarithm(name: string, code: number, calculation: (values: number[]) => number): Expression {
  return calculated((values) => {
    const numbers = values.map((value) => toDouble(number(name, value)));
    if (numbers.some((one) => one <= 0) || numbers[1] === 1) {
      throw new CommandError(code, `${name}'s argument must be a positive number`);
    }
    return calculation(numbers);
  });
}

function ofBits(combined: (bits: bigint, mask: bigint) => bigint, start: bigint): Expression {
  return calculated((values) => fromBits(values.map(bitsOf).reduce(combined, start)));
}

function bitsOf(value: unknown): bigint {
  if (value instanceof Long || Number.isSafeInteger(value)) return BigInt(String(value));
  throw new CommandError(14, 'Operators on bits take int and long alone');
}

function fromBits(bits: bigint): number | Long {
  return Number.isSafeInteger(Number(bits)) ? Number(bits) : Long.fromBigInt(bits);
}

function rounding(name: string, how: Rounding): Expression {
  return calculated(([value, places = 0]) => rounded(number(name, value), toInteger(places, name), how));
}

/** In JavaScript's numbers where they hold the result. @throws CommandError 14 for what is no number */
export function combine(name: string, arithmetic: Arithmetic, a: unknown, b: unknown): Operand {
  if (typeof a === 'number' && typeof b === 'number') return arithmetic.double(a, b);
  const result = calculate(arithmetic, number(name, a), number(name, b));
  if (result instanceof Decimal128) return result;
  return result instanceof Long && !Number.isSafeInteger(result.toNumber()) ? result : Number(result);
}

function number(name: string, value: unknown): Operand {
  if (isNumber(value)) return value as Operand;
  throw new CommandError(14, `${name} only supports numeric types`);
}

function divisor(name: string, value: unknown): Operand {
  if (Number(value) === 0) throw new CommandError(2, `can't ${name} by zero`);
  return number(name, value);
}

function dateless(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value;
}
