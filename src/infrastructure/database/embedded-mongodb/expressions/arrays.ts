import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import type { Fold } from '../values/collation.js';
import { isTruthy, toInteger } from '../values/numbers.js';
import { sliced } from '../values/document.js';
import { byIdentity, compare } from '../values/order.js';
import { orderOf } from './comparisons.js';
import { isNothing, ordered, strict, type Operator, type Operators } from './expression.js';

/** Longest array that `$range` may make; MongoDB's limit is 100 MB of memory. */
const MAX_RANGE = 6_500_000;

export const ARRAYS: Operators = {
  $isArray: ordered([1, 1], ([value]) => Array.isArray(value)),
  $size: ordered([1, 1], ([value]) => listOf('$size', 17124, value).length),
  $first: strict([1, 1], ([value]) => listOf('$first', 28689, value)[0]),
  $last: strict([1, 1], ([value]) => listOf('$last', 28689, value).at(-1)),
  $arrayElemAt: strict([2, 2], ([value, index]) =>
    listOf('$arrayElemAt', 28689, value).at(toInteger(index, 'the index of $arrayElemAt', 28690)),
  ),
  $slice: strict([2, 3], ([value, ...numbers]) => {
    const list = listOf('$slice', 28724, value);
    const [position = 0, count] = numbers.map((one) => toInteger(one, 'a number of $slice', 28725));
    if (count !== undefined && count <= 0) throw new CommandError(28729, 'Third argument to $slice must be positive');
    return sliced(list, position, count);
  }),
  $concatArrays: strict([0, Infinity], (values) =>
    ([] as unknown[]).concat(...values.map((value) => listOf('$concatArrays', 28664, value))),
  ),
  $reverseArray: strict([1, 1], ([value]) => listOf('$reverseArray', 34435, value).toReversed()),
  $range: ordered([2, 3], (values) => {
    const [start = 0, end = 0, step = 1] = values.map((value) => toInteger(value, 'a bound of $range', 34443));
    if (step === 0) throw new CommandError(34449, '$range requires a non-zero step value');
    const length = Math.max(0, Math.ceil((end - start) / step));
    if (length > MAX_RANGE) throw new CommandError(146, `$range is not to yield more than ${MAX_RANGE} numbers`);
    return Array.from({ length }, (_, i) => start + i * step);
  }),
  $in: ordered([2, 2], ([wanted, value], fold) =>
    listOf('$in', 40081, value).some((element) => orderOf(element, wanted, fold) === 0),
  ),
  $indexOfArray: ordered([2, 4], ([value, wanted, ...bounds], fold) => {
    if (isNothing(value)) return null;
    const list = listOf('$indexOfArray', 40090, value);
    const [start = 0, end] = bounds.map((one) => toInteger(one, 'a bound of $indexOfArray', 40096));
    if (start < 0 || (end ?? 0) < 0) throw new CommandError(40097, '$indexOfArray requires no negative bounds');
    const position = list.slice(start, end).findIndex((element) => orderOf(element, wanted, fold) === 0);
    return position < 0 ? -1 : position + start;
  }),
  $allElementsTrue: ordered([1, 1], ([value]) => listOf('$allElementsTrue', 17040, value).every(isTruthy)),
  $anyElementTrue: ordered([1, 1], ([value]) => listOf('$anyElementTrue', 17041, value).some(isTruthy)),
  $setUnion: strict([0, Infinity], (values, fold) => {
    const all = values.flatMap((value) => listOf('$setUnion', 17043, value));
    return inOrder(byIdentity(all, fold).values(), fold);
  }),
  $setIntersection: strict([0, Infinity], (values, fold) => {
    const [first = new Map<string, unknown>(), ...others] = setsOf(values, fold);
    const common = [...first].filter(([key]) => others.every((set) => set.has(key)));
    return inOrder(new Map(common).values(), fold);
  }),
  $setDifference: ofSets(strict, [2, 2], (first, second) =>
    [...first].filter(([key]) => !second.has(key)).map(([, value]) => value),
  ),
  $setEquals: ofSets(ordered, [2, Infinity], (first, ...others) =>
    others.every((set) => set.size === first.size && isSubset(first, set)),
  ),
  $setIsSubset: ofSets(ordered, [2, 2], isSubset),
};

type Elements = Map<string, unknown>;

function ofSets(
  operator: typeof ordered,
  bounds: readonly [number, number],
  calculate: (first: Elements, second: Elements, ...others: Elements[]) => unknown,
): Operator {
  return operator(bounds, (values, fold) => calculate(...(setsOf(values, fold) as [Elements, Elements])));
}

function setsOf(values: unknown[], fold: Fold | undefined): Elements[] {
  return values.map((value) => byIdentity(listOf('A set', 17043, value), fold));
}

/** MongoDB promises no order, but gives this one. */
function inOrder(values: Iterable<unknown>, fold: Fold | undefined): unknown[] {
  return [...values].sort((a, b) => compare(a, b, fold));
}

function isSubset(first: Elements, second: Elements): boolean {
  return [...first.keys()].every((key) => second.has(key));
}

function listOf(name: string, code: number, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new CommandError(code, `${name} requires an array, but was given: ${typeName(value)}`);
}
