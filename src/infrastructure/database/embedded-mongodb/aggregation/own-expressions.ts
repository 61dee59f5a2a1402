import { ObjectId } from 'bson';
import { evalExpr } from 'mingo/core';
import * as expressions from 'mingo/operators/expression';
import { CommandError } from '../command-error.js';
import { typeName } from '../values/bson-types.js';
import { isDocument, type Document } from '../values/document.js';
import { compare } from '../values/order.js';
import { toRegExp } from '../values/regex.js';

type Options = Parameters<typeof evalExpr>[2];
type Expression = (document: Document, operand: unknown, options: Options) => unknown;

/** They read one date. */
const DATE_READERS = [
  '$year',
  '$month',
  '$week',
  '$isoWeek',
  '$isoWeekYear',
  '$isoDayOfWeek',
  '$dayOfWeek',
  '$dayOfMonth',
  '$dayOfYear',
  '$hour',
  '$minute',
  '$second',
  '$millisecond',
  '$dateToParts',
  '$dateToString',
] as const;

const MONTHS: Record<string, number> = { month: 1, quarter: 3, year: 12 };

/** Expressions that mingo lacks, or calculates otherwise than MongoDB. */
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
  $type: (document, operand, options) => typeName(evalExpr(document, operand, options)),
  $toString: (document, operand, options) => {
    const value = evalExpr(document, operand, options);
    return value instanceof ObjectId ? value.toHexString() : expressions.$toString(document, literal(value), options);
  },
  $toObjectId: (document, operand, options) => {
    const value = evalExpr(document, operand, options);
    if (value === undefined || value === null) return null;
    if (value instanceof ObjectId) return value;
    if (/^[0-9a-f]{24}$/i.test(String(value))) return ObjectId.createFromHexString(String(value));
    throw new CommandError(241, `Failed to parse objectId '${String(value)}' in $convert with no onError value`);
  },
  ...Object.fromEntries(DATE_READERS.map((name) => [name, ofDate(expressions[name] as Expression)])),
  $dateAdd: (document, operand, options) => movedDate('$dateAdd', 1, evalExpr(document, operand, options), options),
  $dateSubtract: (document, operand, options) =>
    movedDate('$dateSubtract', -1, evalExpr(document, operand, options), options),
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

function literal(value: unknown): unknown {
  return { $literal: value };
}

/** Nothing of nothing; an ObjectId stands for the moment in it. */
function ofDate(calculate: Expression): Expression {
  return (document, operand, options) => {
    const isDetailed = isDocument(operand) && 'date' in operand;
    const value = evalExpr(document, isDetailed ? operand.date : operand, options);
    if (value === undefined || value === null) {
      return isDetailed && 'onNull' in operand ? evalExpr(document, operand.onNull, options) : null;
    }
    const date = literal(value instanceof ObjectId ? value.getTimestamp() : value);
    return calculate(document, isDetailed ? { ...operand, date } : date, options);
  };
}

/** A month after the last day of January is the last day of February. */
function movedDate(name: '$dateAdd' | '$dateSubtract', sign: number, operand: unknown, options: Options): unknown {
  const { startDate, unit, amount, timezone } = operand as Document;
  if (startDate === undefined || startDate === null || amount === undefined || amount === null) return null;
  const date = startDate instanceof ObjectId ? startDate.getTimestamp() : startDate;
  const months = MONTHS[String(unit)];
  if (!months || timezone || !(date instanceof Date)) {
    const operands = { startDate: date, unit, amount, ...(timezone ? { timezone } : {}) };
    return (expressions[name] as Expression)({}, literal(operands), options);
  }
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + sign * months * Number(amount));
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(date.getUTCDate(), last));
  return moved;
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
