import { evalExpr } from 'mingo/core';
import { isTruthy } from '../query/operators.js';
import { isDocument } from '../values/document.js';
import type { Expression } from './expression.js';

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
  $allElementsTrue: (document, operand, options) => (evalExpr(document, operand, options) as unknown[]).every(isTruthy),
  $anyElementTrue: (document, operand, options) => (evalExpr(document, operand, options) as unknown[]).some(isTruthy),
};

function branches(operand: Record<string, unknown>): unknown[] {
  return [operand['if'], operand['then'], operand['else']];
}
