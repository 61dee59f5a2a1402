import { CommandError } from '../command-error.js';
import { ADDITION, bsonDouble, calculate, exactDecimal, quotient } from '../values/arithmetic.js';
import { isNumber, typeName, type BsonNumber } from '../values/bson-types.js';
import type { Fold } from '../values/collation.js';
import { assign, isDocument, type Document } from '../values/document.js';
import { toDouble } from '../values/numbers.js';
import { byIdentity, compare } from '../values/order.js';
import { isNothing, ordered, type Calculation, type Operators } from './expression.js';

/** They combine the values of an expression for the documents of a group. */
export const ACCUMULATORS: Readonly<Record<string, Calculation>> = {
  $sum: added,
  $avg: (values) => {
    const numbers = values.filter(isNumber);
    return numbers.length === 0 ? null : quotient(added(numbers), numbers.length);
  },
  $min: (values, fold) => extreme(values, -1, fold),
  $max: (values, fold) => extreme(values, 1, fold),
  $count: (values) => values.length,
  $first: (values) => values[0],
  $last: (values) => values.at(-1),
  $push: present,
  $addToSet: (values, fold) => [...byIdentity(present(values), fold).values()],
  $mergeObjects: merged,
  $stdDevPop: (values) => deviation(values, 0),
  $stdDevSamp: (values) => deviation(values, 1),
};

/** Accumulators that are expressions too: of several values, or of the elements of a single array. */
export const ACCUMULATING: Operators = Object.fromEntries(
  ['$sum', '$avg', '$min', '$max', '$mergeObjects', '$stdDevPop', '$stdDevSamp'].map((name) => [
    name,
    ordered([0, Infinity], (values, fold) => ACCUMULATORS[name]?.(values.length === 1 ? values.flat() : values, fold)),
  ]),
);

function present(values: unknown[]): unknown[] {
  return values.filter((value) => value !== undefined);
}

/** Sum of doubles with the rounding errors added at the end (Neumaier), so that ten times 0.1 is 1, as in MongoDB. */
function added(values: unknown[]): BsonNumber {
  const numbers = values.filter(isNumber);
  const types = new Set(numbers.map(typeName));
  if (types.has('decimal') || !types.has('double')) {
    const exact = numbers.map((value) => (typeName(value) === 'double' ? exactDecimal(toDouble(value)) : value));
    return exact.reduce<BsonNumber>((sum, value) => calculate(ADDITION, sum, value, 'double'), 0);
  }
  let [sum, lost] = [0, 0];
  for (const value of numbers.map(toDouble)) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return bsonDouble(Number.isFinite(sum) ? sum + lost : sum);
}

/** @throws CommandError 40400 for a value that is not an object */
function merged(values: unknown[]): Document {
  const objects = values.filter((value) => !isNothing(value));
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
  const known = values.filter((value) => !isNothing(value));
  if (known.length === 0) return null;
  return known.reduce((best, value) => (compare(value, best, fold) * direction > 0 ? value : best));
}

function deviation(values: unknown[], fewer: number): unknown {
  const numbers = values.filter(isNumber).map(toDouble);
  const mean = numbers.reduce((total, one) => total + one, 0) / numbers.length;
  const squares = numbers.reduce((total, one) => total + (one - mean) ** 2, 0);
  return numbers.length > fewer ? bsonDouble(Math.sqrt(squares / (numbers.length - fewer))) : null;
}
