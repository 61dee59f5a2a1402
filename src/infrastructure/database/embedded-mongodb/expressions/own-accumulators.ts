import * as accumulators from 'mingo/operators/accumulator';
import { CommandError } from '../command-error.js';
import { isNumber, typeName, type BsonNumber } from '../values/bson-types.js';
import { ADDITION, quotient } from '../values/arithmetic.js';
import type { Fold } from '../values/collation.js';
import { assign, isDocument, type Document } from '../values/document.js';
import { toDouble } from '../values/numbers.js';
import { compare, identity } from '../values/order.js';
import { combine } from './arithmetic-expressions.js';
import { foldOf, valuesOfEach, type Options } from './expression.js';

type Accumulator = (values: unknown[], fold?: Fold) => unknown;

/** What is made of several values where mingo does otherwise: it puts null for what is missing, and knows no decimals. */
export const OWN_ACCUMULATORS: Record<string, Accumulator> = {
  $push: present,
  $addToSet: (values, fold) => [...new Map(present(values).map((value) => [identity(value, fold), value])).values()],
  $sum: (values) => amount(added(values)),
  $avg: (values) => {
    const numbers = values.filter(isNumber);
    return numbers.length === 0 ? null : quotient(amount(added(numbers)), numbers.length);
  },
  $min: (values, fold) => extreme(values, -1, fold),
  $max: (values, fold) => extreme(values, 1, fold),
  $mergeObjects: merged,
  $covariancePop: (values) => covariance(values, 0),
  $covarianceSamp: (values) => covariance(values, 1),
  $stdDevPop: (values) => deviation(values, 0),
  $stdDevSamp: (values) => deviation(values, 1),
};

/** The same for the documents of a group or a window, as mingo calls it. */
export function accumulate(name: string): (documents: Document[], operand: unknown, options: Options) => unknown {
  return (documents, operand, options) =>
    OWN_ACCUMULATORS[name]?.(valuesOfEach(documents, operand, options), foldOf(options));
}

export function isAccumulator(name: string): boolean {
  return name in accumulators && name !== '$accumulator';
}

function present(values: unknown[]): unknown[] {
  return values.filter((value) => value !== undefined);
}

/** A sum, and what each addition of doubles rounded away: as in MongoDB, ten times 0.1 are 1 (Neumaier). */
export interface Total {
  sum: BsonNumber;
  lost: number;
}

export function added(values: unknown[], before: Total = { sum: 0, lost: 0 }): Total {
  let { sum, lost } = before;
  for (const value of values) {
    if (!isNumber(value)) continue;
    if (typeof sum !== 'number' || typeof value !== 'number') {
      sum = combine('$sum', ADDITION, amount({ sum, lost }), value);
      lost = 0;
      continue;
    }
    const next: number = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return { sum, lost };
}

export function amount({ sum, lost }: Total): BsonNumber {
  return typeof sum === 'number' && Number.isFinite(sum) ? sum + lost : sum;
}

/** @throws CommandError 40400 for what is no object */
function merged(values: unknown[]): Document {
  const objects = values.filter((value) => value !== undefined && value !== null);
  const other = objects.find((value) => !isDocument(value));
  if (other !== undefined) {
    throw new CommandError(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(other)}`);
  }
  const result: Document = {};
  for (const object of objects as Document[]) {
    for (const name of Object.keys(object)) assign(result, name, object[name]);
  }
  return result;
}

function extreme(values: unknown[], direction: number, fold?: Fold): unknown {
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length === 0
    ? null
    : known.reduce((best, value) => (compare(value, best, fold) * direction > 0 ? value : best));
}

/** Of pairs; what is none of two numbers is left out. */
function covariance(values: unknown[], fewer: number): number | null {
  const pairs = values
    .filter((pair): pair is BsonNumber[] => Array.isArray(pair) && pair.length === 2 && pair.every(isNumber))
    .map((pair) => pair.map(toDouble) as [number, number]);
  if (pairs.length <= fewer) return null;
  const [meanX, meanY] = [0, 1].map(
    (i) => pairs.reduce((total, pair) => total + (pair[i] as number), 0) / pairs.length,
  );
  const products = pairs.reduce((total, [x, y]) => total + (x - (meanX as number)) * (y - (meanY as number)), 0);
  return products / (pairs.length - fewer);
}

function deviation(values: unknown[], fewer: number): number | null {
  const numbers = values.filter(isNumber).map(toDouble);
  const mean = numbers.reduce((total, one) => total + one, 0) / numbers.length;
  const squares = numbers.reduce((total, one) => total + (one - mean) ** 2, 0);
  return numbers.length > fewer ? Math.sqrt(squares / (numbers.length - fewer)) : null;
}
