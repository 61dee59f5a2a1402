import type { Fold } from '../values/collation.js';
import { compare } from '../values/order.js';
import { ordered, type Operators } from './expression.js';

export const COMPARISONS: Operators = {
  $eq: comparing((order) => order === 0),
  $ne: comparing((order) => order !== 0),
  $gt: comparing((order) => order > 0),
  $gte: comparing((order) => order >= 0),
  $lt: comparing((order) => order < 0),
  $lte: comparing((order) => order <= 0),
  $cmp: comparing(Math.sign),
};

function comparing(accepts: (order: number) => unknown) {
  return ordered([2, 2], ([a, b], fold) => accepts(orderOf(a, b, fold)));
}

/** Unlike in queries, a missing field does not equal null, and is less than everything. */
export function orderOf(a: unknown, b: unknown, fold?: Fold): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compare(a, b, fold);
}
