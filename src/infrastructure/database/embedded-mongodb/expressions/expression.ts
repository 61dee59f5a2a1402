import { evalExpr } from 'mingo/core';
import type { Fold } from '../values/collation.js';
import { isOperatorDocument, type Document } from '../values/document.js';

export type Options = Parameters<typeof evalExpr>[2];

/** How an operator of aggregation expressions is calculated, as mingo calls it. */
export type Expression = (document: Document, operand: unknown, options: Options) => unknown;

/** mingo hands the setting of this name on to every operator; the one operator of its own that reads it is not used. */
export function foldOf(options: Options): Fold | undefined {
  return options?.collation as Fold | undefined;
}

/** A path, or an operator in an object: what is no constant. */
export function isComputed(expression: unknown): boolean {
  return (typeof expression === 'string' && expression.startsWith('$')) || isOperatorDocument(expression);
}

/** An operand for mingo that is a value already. */
export function literal(value: unknown): unknown {
  return { $literal: value };
}

/** The value of the only argument of an operator, which may be given as a list of one. */
export function onlyArgument(document: Document, operand: unknown, options: Options): unknown {
  return evalExpr(document, Array.isArray(operand) && operand.length === 1 ? operand[0] : operand, options);
}

/** The same surroundings with further variables. mingo's class for them is not exported, but what it hands on is one. */
export function withVariables(options: Options, variables: Document): Options {
  const { init } = (options as object).constructor as unknown as {
    init(options: Options): { update(locals: { variables: Document }): Options };
  };
  return init(options).update({ variables });
}

/** What an expression yields for each document of a group or a window. */
export function valuesOfEach(documents: Document[], expression: unknown, options: Options): unknown[] {
  // What mingo hands on may name all the documents as the root, and is not to be changed: others hold it.
  const { local } = options as unknown as { local?: { root?: unknown } };
  const own = local?.root ? (withVariables(options, {}) as unknown as Rooted) : undefined;
  return documents.map((root) => evalExpr(root, expression, own?.update({ root }) ?? options));
}

interface Rooted {
  update(locals: { root: Document }): Options;
}
