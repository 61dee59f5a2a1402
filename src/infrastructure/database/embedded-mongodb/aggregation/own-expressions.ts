import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import type { Document } from '../values/document.js';
import { compare } from '../values/order.js';
import { toRegExp } from '../values/regex.js';

type Options = Parameters<typeof evalExpr>[2];
type Expression = (document: Document, operand: unknown, options: Options) => unknown;

/** Expressions that mingo calculates otherwise than MongoDB: it compares values by rules of its own. */
export const OWN_EXPRESSIONS: Record<string, Expression> = {
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
  // mingo's never ends where an expression matches nothing at all between two characters.
  $regexFindAll: (document, operand, options) => {
    const { input, regex, options: flags = '' } = evalExpr(document, operand, options) as Document;
    if (input === undefined || input === null) return [];
    const pattern = regex instanceof RegExp ? regex : toRegExp(String(regex), '');
    const found = String(input).matchAll(new RegExp(pattern, `${pattern.flags || toRegExp('', String(flags)).flags}g`));
    return [...found].map((one) => ({
      match: one[0],
      idx: [...String(input).slice(0, one.index)].length,
      captures: one.slice(1).map((capture) => capture ?? null),
    }));
  },
};

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
