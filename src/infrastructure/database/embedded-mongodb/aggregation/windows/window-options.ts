import { CommandError } from '../../command-error.js';
import type { Fold } from '../../values/collation.js';
import type { Document } from '../../values/document.js';
import type { Options } from '../../expressions/expression.js';
import { normalised } from '../../expressions/normalised.js';
import type { Window } from './window-bounds.js';

/** A value for each document of a partition, which come in their order. */
export type WindowFunction = (documents: Document[]) => unknown[];

export interface WindowOptions {
  sortBy: Document | undefined;
  window: Window | undefined;
  options: Options;
  fold?: Fold | undefined;
}

export type Compile = (operand: unknown, given: WindowOptions) => WindowFunction;

/** The one field by which the documents are sorted, as an expression. */
export function onlySortPath(name: string, sortBy: Document | undefined, code: number): unknown {
  const [path, another] = Object.keys(sortBy ?? {});
  if (path !== undefined && another === undefined) return normalised(`$${path}`);
  throw new CommandError(code, `${name} must be specified with a top level sortBy expression with exactly one element`);
}
