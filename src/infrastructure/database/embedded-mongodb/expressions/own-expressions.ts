import { evalExpr } from 'mingo/core';
import * as expressions from 'mingo/operators/expression';
import { CommandError } from '../command-error.js';
import { isNumber, typeName } from '../values/bson-types.js';
import { compare } from '../values/order.js';
import { ARITHMETIC_EXPRESSIONS } from './arithmetic-expressions.js';
import { ARRAY_EXPRESSIONS } from './array-expressions.js';
import { CONVERSION_EXPRESSIONS } from './conversion-expressions.js';
import { DATE_EXPRESSIONS } from './date-expressions.js';
import { foldOf, literal, onlyArgument, type Expression, type Options } from './expression.js';
import { LOGIC_EXPRESSIONS } from './logic-expressions.js';
import { OBJECT_EXPRESSIONS } from './object-expressions.js';
import { accumulate, OWN_ACCUMULATORS } from './own-accumulators.js';
import { PICKING_EXPRESSIONS } from './picking-expressions.js';
import { TEXT_EXPRESSIONS } from './text-expressions.js';

/** What MongoDB has room for in the 100 MB of an operator. */
const MAX_RANGE = 6_500_000;

/** Expressions that mingo lacks, or calculates otherwise than MongoDB. */
export const OWN_EXPRESSIONS: Record<string, Expression> = {
  ...ARITHMETIC_EXPRESSIONS,
  ...CONVERSION_EXPRESSIONS,
  ...DATE_EXPRESSIONS,
  ...TEXT_EXPRESSIONS,
  ...ARRAY_EXPRESSIONS,
  ...LOGIC_EXPRESSIONS,
  ...OBJECT_EXPRESSIONS,
  ...PICKING_EXPRESSIONS,
  ...Object.fromEntries(
    ['$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp', '$mergeObjects'].map((name) => [
      name,
      accumulating(name),
    ]),
  ),
  $eq: comparing((order) => order === 0),
  $ne: comparing((order) => order !== 0),
  $gt: comparing((order) => order > 0),
  $gte: comparing((order) => order >= 0),
  $lt: comparing((order) => order < 0),
  $lte: comparing((order) => order <= 0),
  $cmp: comparing(Math.sign),
  $in: (document, operand, options) => {
    const [wanted, array] = evalExpr(document, operand, options) as unknown[];
    if (!Array.isArray(array)) throw new CommandError(40081, '$in requires an array as a second argument');
    return array.some((element) => orderOf(element, wanted, options) === 0);
  },
  $type: (document, operand, options) => typeName(evalExpr(document, operand, options)),
  $isNumber: (document, operand, options) => isNumber(evalExpr(document, operand, options)),
  $size: (document, operand, options) => {
    const array = onlyArgument(document, operand, options);
    if (Array.isArray(array)) return array.length;
    throw new CommandError(17124, `The argument to $size must be an array, but was of type: ${typeName(array)}`);
  },
  $indexOfArray: (document, operand, options) => {
    const values = [operand].flat().map((one) => evalExpr(document, one, options));
    const [array, wanted, start = 0, end = Infinity] = values;
    if (array === undefined || array === null) return null;
    if (!Array.isArray(array)) throw new CommandError(40090, '$indexOfArray requires an array as a first argument');
    const bounds = [start, end].map(Number);
    if (!bounds.every((bound) => Number.isInteger(bound) || bound === Infinity)) {
      throw new CommandError(40096, '$indexOfArray requires bounds that are integers');
    }
    if (bounds.some((bound) => bound < 0)) throw new CommandError(40097, '$indexOfArray requires no negative bounds');
    const position = array.slice(...bounds).findIndex((element) => orderOf(element, wanted, options) === 0);
    return position < 0 ? -1 : position + Number(start);
  },
  $range: (document, operand, options) => {
    const [start, end, step = 1] = evalExpr(document, operand, options) as number[];
    if ((Number(end) - Number(start)) / step > MAX_RANGE) {
      throw new CommandError(146, `$range is not to yield more than ${MAX_RANGE} numbers`);
    }
    return expressions.$range(document, [start, end, step].map(literal), options);
  },
  // Of nothing comes null, where mingo complains.
  $slice: (document, operand, options) => {
    const values = evalExpr(document, operand, options) as unknown[];
    const isPresent = values.every((value) => value !== undefined && value !== null);
    return isPresent ? expressions.$slice(document, values.map(literal), options) : null;
  },
  $split: (document, operand, options) => {
    const [text, separator] = [operand].flat().map((one) => evalExpr(document, one, options));
    if ([text, separator].some((one) => one === undefined || one === null)) return null;
    if (typeof text !== 'string') throw new CommandError(40085, '$split requires a string as its first argument');
    if (typeof separator !== 'string') throw new CommandError(40086, '$split requires a string as its second argument');
    if (separator === '') throw new CommandError(40087, '$split requires a separator that is not empty');
    return text.split(separator);
  },
};

/** Of several expressions, or of the elements of an array that one of them yields. */
function accumulating(name: string): Expression {
  return (document, operand, options) => {
    // A stage, with all documents of a group.
    if (Array.isArray(document)) return accumulate(name)(document, operand, options);
    const values = Array.isArray(operand) && operand.length > 1 ? operand : undefined;
    const found = values?.map((one) => evalExpr(document, one, options)) ?? onlyArgument(document, operand, options);
    return OWN_ACCUMULATORS[name]?.([found].flat(), foldOf(options));
  };
}

function comparing(accepts: (order: number) => unknown): Expression {
  return (document, operand, options) => {
    const [a, b] = evalExpr(document, operand, options) as unknown[];
    return accepts(orderOf(a, b, options));
  };
}

/** Unlike in queries, a missing field is not null here, but less than everything. */
function orderOf(a: unknown, b: unknown, options: Options): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compare(a, b, foldOf(options));
}
