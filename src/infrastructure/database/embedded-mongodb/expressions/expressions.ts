import { Binary, BSONRegExp, Double, Int32, Long } from 'bson';
import { Context, evalExpr } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import { CommandError, unsupported } from '../command-error.js';
import type { Fold } from '../values/collation.js';
import { assign, isDocument, type Document } from '../values/document.js';
import { toRegExp } from '../values/regex.js';
import { NAMED_ARGUMENTS } from './arguments.js';
import { checkArguments, checkExpression, checkVariables } from './check-expression.js';
import { accumulate, OWN_ACCUMULATORS } from './own-accumulators.js';
import { hidden, normalised, normalisedOperand } from './normalised.js';
import { LITERAL_EXPRESSIONS } from './object-expressions.js';
import { OWN_EXPRESSIONS } from './own-expressions.js';
import { PICKING_ACCUMULATORS } from './picking-expressions.js';

type Operators = Parameters<Context['addExpressionOps']>[0];

const REFUSED = ['$function', '$where', '$accumulator'];

/** Operators of aggregation expressions, e.g. in $expr, $project and computed updates. */
export function expressionContext(): Context {
  const safe = Object.entries(expressions).filter(([name]) => !REFUSED.includes(name));
  const accumulating = Object.entries(accumulators).filter(([name]) => !REFUSED.includes(name));
  const own = Object.keys(OWN_ACCUMULATORS).map((name) => [name, accumulate(name)] as const);
  return Context.init({
    expression: { ...Object.fromEntries(safe), ...OWN_EXPRESSIONS, ...LITERAL_EXPRESSIONS } as Operators,
    accumulator: { ...Object.fromEntries([...accumulating, ...own]), ...PICKING_ACCUMULATORS } as Parameters<
      Context['addAccumulatorOps']
    >[0],
  });
}

const MINGO_OPTIONS = {
  idKey: '_id',
  processingMode: 0,
  useStrictMode: true,
  scriptEnabled: false,
  failOnError: true,
  context: expressionContext(),
};

const OPERATORS = new Set(
  Object.keys({ ...expressions, ...accumulators, ...OWN_EXPRESSIONS, ...PICKING_ACCUMULATORS }).filter(
    (name) => !REFUSED.includes(name),
  ),
);

/** An expression, see promote(), to be evaluated. @throws CommandError for what is none, before there is a document */
export function checked(expression: unknown): unknown {
  checkExpression(expression, OPERATORS);
  return normalised(expression);
}

/** What an accumulator or a function of windows is given, which is one thing: an array is an array. */
export function checkedOperand(operator: string, operand: unknown): unknown {
  if (operator in NAMED_ARGUMENTS) checkArguments(operator, operand);
  const { sortBy: _order, ...others } = isDocument(operand) ? operand : { sortBy: undefined, operand };
  checkExpression(others, OPERATORS);
  return Array.isArray(operand) ? normalised(operand) : normalisedOperand(operator, operand);
}

/** Several of them by their names, of which each may yield nothing. */
export function checkedFields(fields: Document): Document {
  return Object.fromEntries(Object.entries(fields).map(([name, expression]) => [name, checked(expression)]));
}

/** Variables that are bound for what follows, to be evaluated. @throws CommandError for what none may be called */
export function checkedVariables(variables: unknown): Document {
  checkVariables(variables);
  const named = Object.entries(variables as Document).map(([name, expression]) => [hidden(name), expression]);
  return checkedFields(Object.fromEntries(named) as Document);
}

/** What an expression knows beside its document. */
export interface Scope {
  variables?: Document | undefined;
  fold?: Fold | undefined;
}

/** What mingo hands on to every operator. */
export function settingsOf({ variables = {}, fold }: Scope) {
  return { ...MINGO_OPTIONS, variables, collation: fold as never };
}

/** Value of an aggregation expression, see promote(), over a document. */
export function evaluate(expression: unknown, document: Document, scope: Scope = {}): unknown {
  return asCommandError(() => evalExpr(promote(document), expression, settingsOf(scope)));
}

/** Values of the variables of a command's `let`: they are expressions without a document. `Now` stands for `$$NOW`. */
export function evaluateVariables(variables: Document | undefined, now: Date): Document {
  const given = { Now: now };
  const fields = checkedVariables(promote(variables ?? {}));
  return { ...(evaluate(fields, {}, { variables: given }) as Document), ...given };
}

/** mingo's complaints reach the client as errors of the command, not as a failure of the server. */
export function asCommandError<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const message = (error as Error).message;
    const stage = /^unregistered pipeline operator (\S+?)\.?$/.exec(message)?.[1];
    if (stage) throw unsupported(`Unrecognized pipeline stage name: '${stage}'. It`, 40324);
    const operator = /^accumulator '(\S+)' is not registered/.exec(message)?.[1];
    if (operator) throw unsupported(`The expression operator ${operator}`, 168);
    throw new CommandError(message.startsWith('Use of undefined variable') ? 17276 : 2, message);
  }
}

/** mingo compares class instances by toString(), and Binary's is a lossy UTF-8 decode under which ff equals fe. */
class ComparableBinary extends Binary {
  override toString(): string {
    return `${this.sub_type}:${Buffer.from(this.value()).toString('hex')}`;
  }
}

/** A pipeline, expression or document as mingo needs it: JavaScript numbers and regular expressions. */
export function promote(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(promote);
  if (value instanceof Double || value instanceof Int32) return value.value;
  if (value instanceof Long) return Number.isSafeInteger(value.toNumber()) ? value.toNumber() : value;
  if (value instanceof BSONRegExp) return toRegExp(value.pattern, value.options);
  if (value instanceof Binary) return new ComparableBinary(value.value(), value.sub_type);
  if (!isDocument(value)) return value;
  const result: Document = {};
  for (const key of Object.keys(value)) assign(result, key, promote(value[key]));
  return result;
}
