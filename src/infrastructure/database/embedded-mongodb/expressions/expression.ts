import { CommandError, unsupported } from '../command-error.js';
import type { Fold } from '../values/collation.js';
import { isDocument, isOperatorDocument, type Document } from '../values/document.js';

export type Variables = Record<string, unknown>;

/** The scope that the filters, projections and expressions of a command share. */
export interface Scope {
  /** Variables by name: NOW, and those of `let`. In a joined pipeline they differ for each document. */
  variables: Variables;
  fold?: Fold | undefined;
}

/** A scope without variables of `let`. */
export function plainScope(fold?: Fold): Scope {
  return { variables: {}, fold };
}

/** Evaluates an expression for a document; undefined if it has no value. */
export type Expression = (document: Document, variables: Variables) => unknown;

/** What an operator needs to compile its operand. */
export interface Compiler {
  fold: Fold | undefined;
  /** @param names of further variables that are bound when it is evaluated */
  compile(expression: unknown, names?: readonly string[]): Expression;
}

/** Compiles an operand. @throws CommandError for an invalid one, whether or not it is ever evaluated */
export type Operator = (operand: unknown, compiler: Compiler, name: string) => Expression;

export type Operators = Record<string, Operator>;

/** Whether a value is a path, or contains an operator, so that it is not a constant. */
export function isComputed(expression: unknown): boolean {
  return (typeof expression === 'string' && expression.startsWith('$')) || isOperatorDocument(expression);
}

export function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Makes one value of several. */
export type Calculation = (values: unknown[], fold?: Fold) => unknown;

/** An operator with positional arguments; a single one needs no array around it. */
export function ordered([least, most]: readonly [number, number], calculate: Calculation): Operator {
  return (operand, { compile, fold }, name) => {
    const given: unknown[] = Array.isArray(operand) ? operand : [operand];
    if (given.length < least || given.length > most) {
      const takes = least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
      throw new CommandError(16020, `Expression ${name} takes ${takes} arguments. ${given.length} were passed in.`);
    }
    const values = given.map((one) => compile(one));
    return (document, variables) => {
      const found = values.map((value) => value(document, variables));
      return calculate(found, fold);
    };
  };
}

/**
 * The same; its value is null if an argument is null or missing. Of any number of arguments MongoDB looks at one after the other: what
 * is wrong with those before is an error.
 */
export function strict(bounds: readonly [number, number], calculate: Calculation): Operator {
  return ordered(bounds, (values, fold) => {
    const nothing = values.findIndex(isNothing);
    if (nothing < 0) return calculate(values, fold);
    if (bounds[1] === Infinity) calculate(values.slice(0, nothing), fold);
    return null;
  });
}

/**
 * An operator with named arguments.
 * @param names of the arguments; those of optional ones end with a question mark
 */
export function named(names: string, calculate: (given: Document) => unknown): Operator {
  return (operand, { compile }, name) => {
    const given = Object.entries(argumentsOf(name, operand, names)).map(([key, one]) => [key, compile(one)] as const);
    return (document, variables) =>
      calculate(Object.fromEntries(given.map(([key, value]) => [key, value(document, variables)])));
  };
}

/** The same; its value is null if one of the given arguments is null or missing. */
export function strictlyNamed(names: string, calculate: (given: Document) => unknown): Operator {
  return named(names, (given) => (Object.values(given).some(isNothing) ? null : calculate(given)));
}

/** @throws CommandError 9 for unknown or missing arguments */
export function argumentsOf(operator: string, operand: unknown, names: string): Document {
  if (!isDocument(operand)) throw new CommandError(9, `${operator} only supports an object as its argument`);
  const known = names.split(' ').filter((name) => name !== '');
  const unknown = Object.keys(operand).find((name) => !known.includes(name) && !known.includes(`${name}?`));
  if (unknown !== undefined) {
    const message = `Unrecognized parameter to ${operator}: ${unknown}. The embedded store knows ${known.join(', ')}`;
    throw new CommandError(9, `${message}: use MongoDB for others`);
  }
  const missing = known.find((name) => !name.endsWith('?') && !(name in operand));
  if (missing !== undefined) throw new CommandError(9, `Missing '${missing}' parameter to ${operator}`);
  return operand;
}

/** @throws CommandError 16867 for a name that is reserved for MongoDB's own variables */
export function variableName(name: string): string {
  if (name === 'CURRENT') throw unsupported("A variable 'CURRENT'", 16867);
  if (/^[a-z\x80-\uffff][\w\x80-\uffff]*$/.test(name)) return name;
  throw new CommandError(16867, `'${name}' is no name that a user variable may have`);
}
