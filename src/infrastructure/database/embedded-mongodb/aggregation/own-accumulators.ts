import { evalExpr } from 'mingo/core';
import { isNumber, type BsonNumber } from '../values/bson-types.js';
import { ADDITION, quotient } from '../values/arithmetic.js';
import type { Fold } from '../values/collation.js';
import type { Document } from '../values/document.js';
import { toDouble } from '../values/numbers.js';
import { compare, identity } from '../values/order.js';
import { combine } from './arithmetic-expressions.js';
import { foldOf, type Options } from './expression.js';

type Accumulator = (values: unknown[], fold?: Fold) => unknown;

/** What is made of several values where mingo does otherwise: it puts null for what is missing, and knows no decimals. */
export const OWN_ACCUMULATORS: Record<string, Accumulator> = {
  $push: present,
  $addToSet: (values, fold) => [...new Map(present(values).map((value) => [identity(value, fold), value])).values()],
  $sum: sum,
  $avg: (values) => {
    const numbers = values.filter(isNumber);
    return numbers.length === 0 ? null : quotient(sum(numbers), numbers.length);
  },
  $min: (values, fold) => extreme(values, -1, fold),
  $max: (values, fold) => extreme(values, 1, fold),
  $stdDevPop: (values) => deviation(values, 0),
  $stdDevSamp: (values) => deviation(values, 1),
};

/** The same for the documents of a group or a window, as mingo calls it. */
export function accumulate(name: string): (documents: Document[], operand: unknown, options: Options) => unknown {
  return (documents, operand, options) => {
    // What mingo hands on from a stage of its own may name all the documents as the root.
    const rooted = options as unknown as { local?: { root?: unknown }; update(locals: { root: Document }): Options };
    const optionsFor = (root: Document): Options => (rooted.local?.root ? rooted.update({ root }) : options);
    const values = documents.map((one) => evalExpr(one, operand, optionsFor(one)));
    return OWN_ACCUMULATORS[name]?.(values, foldOf(options));
  };
}

/** What an accumulator such as {$top: …} makes of the documents of a group or a window. */
export function accumulated(documents: Document[], accumulator: Document, options: Options): unknown {
  const [name = ''] = Object.keys(accumulator);
  const value = evalExpr(documents, accumulator, options);
  return Array.isArray(value) && ['$top', '$bottom'].includes(name) ? value[0] : value;
}

function present(values: unknown[]): unknown[] {
  return values.filter((value) => value !== undefined);
}

function sum(values: unknown[]): BsonNumber {
  return values.filter(isNumber).reduce((total, value) => combine('$sum', ADDITION, total, value), 0);
}

function extreme(values: unknown[], direction: number, fold?: Fold): unknown {
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length === 0
    ? null
    : known.reduce((best, value) => (compare(value, best, fold) * direction > 0 ? value : best));
}

function deviation(values: unknown[], fewer: number): number | null {
  const numbers = values.filter(isNumber).map(toDouble);
  const mean = numbers.reduce((total, one) => total + one, 0) / numbers.length;
  const squares = numbers.reduce((total, one) => total + (one - mean) ** 2, 0);
  return numbers.length > fewer ? Math.sqrt(squares / (numbers.length - fewer)) : null;
}
