import { evalExpr } from 'mingo/core';
import { CommandError } from '../../command-error.js';
import { ADDITION } from '../../values/arithmetic.js';
import { isNumber, typeName } from '../../values/bson-types.js';
import { isDocument, type Document } from '../../values/document.js';
import { toDouble } from '../../values/numbers.js';
import { compare } from '../../values/order.js';
import { combine } from '../../expressions/arithmetic-expressions.js';
import { literal, type Options } from '../../expressions/expression.js';
import { checked } from '../../expressions/expressions.js';
import { normalised } from '../../expressions/normalised.js';

/** From the first of its neighbours to before the last. */
export type Span = readonly [from: number, to: number];

/** The neighbours of each document, by its place in its partition. */
export type Window = (documents: Document[]) => (index: number) => Span;

export const WHOLE_PARTITION: Window = (documents) => () => [0, documents.length];

/** What stands for a place, or a distance to that of the document at hand: in documents, or in what they are sorted by. */
type Bound = 'unbounded' | 'current' | number;

/** @throws CommandError for bounds that do not fit the order */
export function compileWindow(window: unknown, sortBy: Document | undefined, options: Options): Window {
  const { documents, range, unit, ...others } = isDocument(window) ? window : { '': window };
  const isTwofold = documents !== undefined && (range !== undefined || unit !== undefined);
  if (isTwofold || Object.keys(others).length > 0 || (unit !== undefined && range === undefined)) {
    throw new CommandError(9, "'window' takes either 'documents', or 'range' with an optional 'unit'");
  }
  if (documents === undefined && range === undefined) return WHOLE_PARTITION;
  const bounds = boundsOf(documents ?? range, options, documents !== undefined || unit !== undefined);
  if (documents !== undefined) return byDocuments(bounds, sortBy);
  const [[path, direction] = [], another] = Object.entries(sortBy ?? {});
  if (!path || another) throw new CommandError(5339902, 'Range-based bounds require sortBy a single field');
  if (direction !== 1) throw new CommandError(8947401, 'Range-based bounds require an ascending sortBy');
  return byRange(bounds, normalised(`$${path}`), unit, options);
}

function boundsOf(given: unknown, options: Options, isWhole: boolean): [lower: Bound, upper: Bound] {
  if (!Array.isArray(given) || given.length !== 2) {
    throw new CommandError(9, 'Window bounds must be a 2-element array');
  }
  const bounds = given.map((bound: unknown): Bound => {
    if (bound === 'unbounded' || bound === 'current') return bound;
    const value = typeof bound === 'string' ? bound : evalExpr({}, checked(bound), options);
    if (isNumber(value) && (!isWhole || Number.isInteger(toDouble(value)))) return toDouble(value);
    throw new CommandError(
      9,
      "Window bounds must be 'unbounded', 'current', or a number; of documents or units an integer",
    );
  }) as [Bound, Bound];
  const [lower, upper] = bounds.map((bound) => (bound === 'current' ? 0 : bound)) as [Bound, Bound];
  if (typeof lower === 'number' && typeof upper === 'number' && lower > upper) {
    throw new CommandError(5339900, `Lower bound must not exceed upper bound: [${lower}, ${upper}]`);
  }
  return bounds;
}

function byDocuments([lower, upper]: [Bound, Bound], sortBy: Document | undefined): Window {
  if (!sortBy && (lower !== 'unbounded' || upper !== 'unbounded')) {
    throw new CommandError(5339901, 'Document-based bounds require a sortBy');
  }
  const distance = (bound: Bound, unbounded: number): number =>
    bound === 'unbounded' ? unbounded : bound === 'current' ? 0 : bound;
  return ({ length }) =>
    (index) => {
      const from = Math.max(0, index + distance(lower, -Infinity));
      const to = Math.min(length, index + distance(upper, Infinity) + 1);
      return [from, Math.max(from, to)];
    };
}

/** `current` is the document alone; 0 is whatever has the same value. */
function byRange([lower, upper]: [Bound, Bound], path: unknown, unit: unknown, options: Options): Window {
  const moved = (value: unknown, distance: number): unknown =>
    unit === undefined
      ? combine('$setWindowFields', ADDITION, value, distance)
      : evalExpr({}, { $dateAdd: { startDate: literal(value), unit, amount: distance } }, options);
  return (documents) => {
    const values = documents.map((document) => evalExpr(document, path, options));
    const fits = (value: unknown): boolean => (unit === undefined ? isNumber(value) : value instanceof Date);
    if (!values.every(fits)) {
      const misfit = values.find((value) => !fits(value));
      const wanted = unit === undefined ? 'a number, or a unit given' : 'a Date';
      const message = `Invalid range: Expected the sortBy field to be ${wanted}, but it was ${typeName(misfit)}`;
      throw new CommandError(unit !== undefined ? 5429513 : misfit instanceof Date ? 5429413 : 5429414, message);
    }
    return (index) => {
      const firstWhere = (distance: number, accepts: (order: number) => boolean): number => {
        const threshold = moved(values[index], distance);
        return placeWhere(values, (value) => accepts(compare(value, threshold)));
      };
      const from = lower === 'unbounded' ? 0 : lower === 'current' ? index : firstWhere(lower, (order) => order >= 0);
      const to =
        upper === 'unbounded'
          ? values.length
          : upper === 'current'
            ? index + 1
            : firstWhere(upper, (order) => order > 0);
      return [from, Math.max(from, to)];
    };
  };
}

/** The place of the first of ascending values that is accepted, as all after it are. */
function placeWhere(values: unknown[], accepts: (value: unknown) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (accepts(values[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
