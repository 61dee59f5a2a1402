import { CommandError, unsupported } from '../command-error.js';
import { assign, isDocument, isFieldPath, own, type Document } from '../values/document.js';
import { ARITHMETIC } from './arithmetic.js';
import { ARRAYS } from './arrays.js';
import { COMPARISONS } from './comparisons.js';
import { CONVERSIONS } from './conversions.js';
import { DATES } from './dates.js';
import { variableName, type Expression, type Scope, type Variables } from './expression.js';
import { FORMS } from './forms.js';
import { OBJECTS } from './objects.js';
import { ACCUMULATING } from './accumulators.js';
import { TEXTS } from './texts.js';

const TABLES = [FORMS, COMPARISONS, ARITHMETIC, CONVERSIONS, DATES, TEXTS, ARRAYS, OBJECTS, ACCUMULATING];
const OPERATORS = new Map(TABLES.flatMap((table) => Object.entries(table)));

/**
 * Compiles an aggregation expression, whose results keep BSON's types.
 * @throws CommandError for an invalid expression, whether or not it is ever evaluated
 */
export function compileExpression(expression: unknown, scope: Scope): Expression {
  if (typeof expression === 'string')
    return expression.startsWith('$') ? compilePath(expression, scope) : () => expression;
  if (Array.isArray(expression)) {
    const elements = expression.map((element) => compileExpression(element, scope));
    return (document, variables) => elements.map((element) => element(document, variables) ?? null);
  }
  if (!isDocument(expression)) return () => expression;
  const [operator] = Object.keys(expression).filter((name) => name.startsWith('$'));
  if (operator === undefined) return compileFields(expression, scope);
  if (Object.keys(expression).length > 1) {
    throw new CommandError(15983, 'An object representing an expression must have exactly one field');
  }
  const compile = OPERATORS.get(operator);
  if (!compile) throw unsupported(`The expression operator ${operator}`, 168);
  const compiler = {
    fold: scope.fold,
    compile: (inner: unknown, names: readonly string[] = []) => compileExpression(inner, knowing(scope, names)),
  };
  return compile(expression[operator], compiler, operator);
}

/** An object expression; fields without a value are left out. */
function compileFields(fields: Document, scope: Scope): (document: Document, variables: Variables) => Document {
  const compiled = Object.entries(fields).map(([name, value]) => {
    if (name.includes('.')) throw new CommandError(16412, `FieldPath field names may not contain '.': ${name}`);
    return [name, compileExpression(value, scope)] as const;
  });
  return (document, variables) => {
    const result: Document = {};
    for (const [name, value] of compiled) {
      const found = value(document, variables);
      if (found !== undefined) assign(result, name, found);
    }
    return result;
  };
}

/** Compiles the variables of `let`. */
export function compileVariables(variables: Document, scope: Scope): ReturnType<typeof compileFields> {
  Object.keys(variables).forEach(variableName);
  return compileFields(variables, scope);
}

/** A scope for compiling what is inside an operator that binds further variables. */
export function knowing<T extends Scope>(scope: T, names: readonly string[]): T {
  return { ...scope, variables: { ...scope.variables, ...Object.fromEntries(names.map((name) => [name, undefined])) } };
}

function compilePath(text: string, { variables }: Scope): Expression {
  const path = text.replace(/^\$\$?/, '');
  if (path === '') throw new CommandError(16872, `'${text}' by itself is not a valid FieldPath`);
  if (path.endsWith('.')) throw new CommandError(40353, "FieldPath must not end with a '.'.");
  if (!isFieldPath(path)) throw new CommandError(16410, "FieldPath field names may not be empty or start with '$'");
  const names = path.split('.');
  if (!text.startsWith('$$')) return (document) => valueAt(document, names);
  const [variable = '', ...rest] = names;
  if (['ROOT', 'CURRENT'].includes(variable)) return (document) => valueAt(document, rest);
  if (variable === 'REMOVE') return () => undefined;
  if (!Object.hasOwn(variables, variable)) throw new CommandError(17276, `Use of undefined variable: ${variable}`);
  return (_document, known) => valueAt(own(known, variable), rest);
}

/** Follows a path through documents, and through the documents in an array, without those that lack the field. */
function valueAt(value: unknown, names: readonly string[], from = 0): unknown {
  const name = names[from];
  if (name === undefined) return value;
  if (isDocument(value)) return valueAt(own(value, name), names, from + 1);
  if (!Array.isArray(value)) return undefined;
  const inner = value.filter(isDocument).map((element) => valueAt(element, names, from));
  return inner.filter((one) => one !== undefined);
}
