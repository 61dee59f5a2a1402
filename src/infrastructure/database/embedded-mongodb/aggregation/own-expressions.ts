import { Decimal128, ObjectId } from 'bson';
import { evalExpr } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import { CommandError } from '../command-error.js';
import { isNumber, typeName } from '../values/bson-types.js';
import type { Document } from '../values/document.js';
import { compare } from '../values/order.js';
import { toRegExp } from '../values/regex.js';
import { ARITHMETIC_EXPRESSIONS } from './arithmetic-expressions.js';
import { DATE_EXPRESSIONS } from './date-expressions.js';
import { literal, type Expression } from './expression.js';
import { OWN_ACCUMULATORS } from './own-accumulators.js';

/** Expressions that mingo lacks, or calculates otherwise than MongoDB. */
export const OWN_EXPRESSIONS: Record<string, Expression> = {
  ...ARITHMETIC_EXPRESSIONS,
  ...DATE_EXPRESSIONS,
  $sum: accumulating('$sum'),
  $avg: accumulating('$avg'),
  $min: accumulating('$min'),
  $max: accumulating('$max'),
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
    return array.some((element) => orderOf(element, wanted) === 0);
  },
  $type: (document, operand, options) => typeName(evalExpr(document, operand, options)),
  $toString: (document, operand, options) => {
    const value = evalExpr(document, operand, options);
    if (value instanceof ObjectId || value instanceof Decimal128) return value.toString();
    return expressions.$toString(document, literal(value), options);
  },
  $toDecimal: (document, operand, options) => {
    const value = evalExpr(document, operand, options);
    if (isNumber(value)) return Decimal128.fromString(String(value));
    return typeof value === 'string' ? decimalOf(value) : expressions.$toDecimal(document, literal(value), options);
  },
  $toObjectId: (document, operand, options) => {
    const value = evalExpr(document, operand, options);
    if (value === undefined || value === null) return null;
    if (value instanceof ObjectId) return value;
    if (/^[0-9a-f]{24}$/i.test(String(value))) return ObjectId.createFromHexString(String(value));
    throw new CommandError(241, `Failed to parse objectId '${String(value)}' in $convert with no onError value`);
  },
  // mingo's never ends where an expression matches nothing at all between two characters.
  $regexFindAll: (document, operand, options) => {
    const { input, regex, options: flags = '' } = evalExpr(document, operand, options) as Document;
    if (input === undefined || input === null) return [];
    const pattern = regex instanceof RegExp ? regex : toRegExp(String(regex), '');
    const text = String(input);
    const found = text.matchAll(new RegExp(pattern, `${pattern.flags || toRegExp('', String(flags)).flags}g`));
    // At the end of a text nothing is looked for any more.
    const counted = [...found].filter(({ index }) => index < text.length || text === '');
    return counted.map((one) => ({
      match: one[0],
      idx: Array.from(text.slice(0, one.index)).length,
      captures: one.slice(1).map((capture) => capture ?? null),
    }));
  },
};

function decimalOf(text: string): Decimal128 {
  try {
    return Decimal128.fromString(text);
  } catch {
    throw new CommandError(241, `Failed to parse number '${text}' in $convert with no onError value`);
  }
}

/** Of several expressions, or of the elements of an array that one of them yields. */
function accumulating(name: '$sum' | '$avg' | '$min' | '$max'): Expression {
  return (document, operand, options) => {
    // A stage of mingo's, with all documents of a group.
    if (Array.isArray(document)) return accumulators[name](document, operand, options as never);
    const value = evalExpr(document, operand, options);
    const isOfOne = Array.isArray(operand) && operand.length === 1;
    return OWN_ACCUMULATORS[name]?.([isOfOne ? (value as unknown[])[0] : value].flat());
  };
}

function comparing(accepts: (order: number) => unknown): Expression {
  return (document, operand, options) => {
    const operands = evalExpr(document, operand, options);
    if (Array.isArray(operands) && operands.length === 2) return accepts(orderOf(operands[0], operands[1]));
    throw new CommandError(16020, 'A comparison takes exactly 2 arguments');
  };
}

/** Unlike in queries, a missing field is not null here, but less than everything. */
function orderOf(a: unknown, b: unknown): number {
  return a === undefined || b === undefined ? Number(a !== undefined) - Number(b !== undefined) : compare(a, b);
}
