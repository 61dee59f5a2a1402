import { evalExpr } from 'mingo/core';
import { CommandError } from '../command-error.js';
import { isTruthy } from '../values/numbers.js';
import { typeName } from '../values/bson-types.js';
import { isDocument } from '../values/document.js';
import { onlyArgument, type Expression } from './expression.js';

/** What decides between true and false: mingo takes '' and NaN for false, and a decimal that is zero for true. */
export const LOGIC_EXPRESSIONS: Record<string, Expression> = {
  $and: (document, operand, options) =>
    (operand as unknown[]).every((one) => isTruthy(evalExpr(document, one, options))),
  $or: (document, operand, options) => (operand as unknown[]).some((one) => isTruthy(evalExpr(document, one, options))),
  $not: (document, operand, options) => !isTruthy(evalExpr(document, operand, options)),
  $cond: (document, operand, options) => {
    const [condition, yes, no] = Array.isArray(operand) ? operand : isDocument(operand) ? branches(operand) : [];
    return evalExpr(document, isTruthy(evalExpr(document, condition, options)) ? yes : no, options);
  },
  $switch: (document, operand, options) => {
    const { branches, ...others } = operand as { branches: { case: unknown; then: unknown }[]; default?: unknown };
    const found = branches.find((branch) => isTruthy(evalExpr(document, branch.case, options)));
    if (found) return evalExpr(document, found.then, options);
    if ('default' in others) return evalExpr(document, others.default, options);
    throw new CommandError(40066, '$switch found no branch for what it was given, and has no default');
  },
  $allElementsTrue: (document, operand, options) =>
    elementsOf('$allElementsTrue', 17040, onlyArgument(document, operand, options)).every(isTruthy),
  $anyElementTrue: (document, operand, options) =>
    elementsOf('$anyElementTrue', 17041, onlyArgument(document, operand, options)).some(isTruthy),
};

function elementsOf(name: string, code: number, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new CommandError(code, `${name}'s argument must be an array, but is ${typeName(value)}`);
}

function branches(operand: Record<string, unknown>): unknown[] {
  return [operand['if'], operand['then'], operand['else']];
}
