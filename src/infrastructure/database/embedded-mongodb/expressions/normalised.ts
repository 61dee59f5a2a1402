import { isDocument, isOperatorDocument, type Document } from '../values/document.js';
import { COUNTED_ARGUMENTS } from './arguments.js';

/** Operators for what is written down as an object or an array: nothing is no field of the one, and null in the other. */
export const OBJECT = '$__object';
export const ARRAY = '$__array';

/** A path beyond the first name. */
export const PATH = '$__path';

/** They take any number of arguments, and a list of one for one. */
const VARIADIC =
  '$add $multiply $concat $concatArrays $setUnion $setIntersection $and $or $bitAnd $bitOr $bitXor'.split(' ');

/** An object behind them is a value, and does not name arguments. */
const OF_A_VALUE = new Set(
  '$push $addToSet $first $last $max $min $mergeObjects $objectToArray $type $isArray $isNumber $not $sum $avg $locf'.split(
    ' ',
  ),
);

/** Arguments that are expressions, whatever an operator is called; others are names, orders and lists of their own kind. */
const EXPRESSIONS = new Set(
  'input in cond if then else initialValue value output case default onNull onError date startDate endDate'.split(' '),
);

/** An expression by which mingo calculates what MongoDB does: lists of arguments as lists, literals as operators. */
export function normalised(expression: unknown): unknown {
  if (typeof expression === 'string') return normalisedPath(expression);
  if (Array.isArray(expression)) return { [ARRAY]: expression.map(normalised) };
  if (!isDocument(expression)) return expression;
  if (!isOperatorDocument(expression)) return { [OBJECT]: mapped(expression, normalised) };
  return mapped(expression, (operand, operator) => normalisedOperand(operator, operand));
}

/** The same, behind an operator. */
export function normalisedOperand(operator: string, operand: unknown): unknown {
  if (['$literal', '$const', OBJECT, ARRAY, PATH].includes(operator)) return operand;
  if (Array.isArray(operand)) {
    const isOfOne = COUNTED_ARGUMENTS.get(operator)?.[1] === 1 && operand.length === 1;
    return isOfOne ? normalised(operand[0]) : operand.map(normalised);
  }
  if (VARIADIC.includes(operator)) return [normalised(operand)];
  if (!isDocument(operand) || isOperatorDocument(operand) || OF_A_VALUE.has(operator)) return normalised(operand);
  return mapped(operand, (value, name) => {
    if (name === 'vars' && isDocument(value)) {
      return Object.fromEntries(Object.entries(value).map(([one, bound]) => [hidden(one), normalised(bound)]));
    }
    if (name === 'branches' && Array.isArray(value)) {
      return value.map((branch: unknown) => (isDocument(branch) ? mapped(branch, normalised) : branch));
    }
    if (Array.isArray(value) && !EXPRESSIONS.has(name)) return value.map(normalised);
    return EXPRESSIONS.has(name) || isOperatorDocument(value) || typeof value === 'string' ? normalised(value) : value;
  });
}

function normalisedPath(text: string): unknown {
  const path = text.replace(/^\$\$(NOW|this)(?=\.|$)/, (_found, name: string) => `$$${hidden(name)}`);
  const [of = '', ...names] = path.startsWith('$') ? path.split('.') : [path];
  return names.length === 0 ? path : { [PATH]: { of, names } };
}

/** For mingo the one is another moment for each document, and the other the document at hand. No client's has a capital. */
export function hidden(name: string): string {
  return name === 'NOW' ? 'Now' : name === 'this' ? 'This' : name;
}

function mapped(document: Document, change: (value: unknown, name: string) => unknown): Document {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, change(value, name)]));
}
