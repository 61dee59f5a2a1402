import { isNumber, type BsonNumber } from '../values/bson-types.js';
import { ADDITION, quotient } from '../values/arithmetic.js';
import { compare } from '../values/order.js';
import { combine } from './arithmetic-expressions.js';

type Accumulator = (values: unknown[]) => unknown;

/** What a group makes of its values where mingo does otherwise: it puts null for what is missing, and knows no decimals. */
export const OWN_ACCUMULATORS: Record<string, Accumulator> = {
  $push: (values) => values.filter((value) => value !== undefined),
  $sum: sum,
  $avg: (values) => {
    const numbers = values.filter(isNumber);
    return numbers.length === 0 ? null : quotient(sum(numbers), numbers.length);
  },
  $min: (values) => extreme(values, -1),
  $max: (values) => extreme(values, 1),
};

function sum(values: unknown[]): BsonNumber {
  return values.filter(isNumber).reduce((total, value) => combine('$sum', ADDITION, total, value), 0);
}

function extreme(values: unknown[], direction: number): unknown {
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length === 0
    ? null
    : known.reduce((best, value) => (compare(value, best) * direction > 0 ? value : best));
}
