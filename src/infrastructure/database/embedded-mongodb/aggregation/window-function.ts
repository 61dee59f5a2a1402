import { CommandError } from '../command-error.js';
import type { Fold } from '../values/collation.js';
import { isDocument, type Document } from '../values/document.js';
import type { Options } from './expression.js';
import { normalised } from './normalised.js';
import type { Window } from './window-bounds.js';

/** A value for each document of a partition, which come in their order. */
export type WindowFunction = (documents: Document[]) => unknown[];

export interface Surroundings {
  sortBy: Document | undefined;
  window: Window | undefined;
  options: Options;
  fold?: Fold | undefined;
}

export type Compile = (operand: unknown, surroundings: Surroundings) => WindowFunction;

/** @throws CommandError for an operand that is none of these */
export function argumentsOf(name: string, operand: unknown, required: string[], optional: string[]): Document {
  if (!isDocument(operand)) throw new CommandError(9, `Argument to ${name} must be an object`);
  const unknown = Object.keys(operand).find((key) => ![...required, ...optional].includes(key));
  if (unknown !== undefined) throw new CommandError(9, `Unknown argument in ${name}: ${unknown}`);
  const missing = required.find((key) => operand[key] === undefined);
  if (missing !== undefined) throw new CommandError(9, `${name} requires '${missing}'`);
  return operand;
}

/** The one field by which the documents are sorted, as an expression. */
export function onlySortPath(name: string, sortBy: Document | undefined, code: number): unknown {
  const [path, another] = Object.keys(sortBy ?? {});
  if (path !== undefined && another === undefined) return normalised(`$${path}`);
  throw new CommandError(code, `${name} must be specified with a top level sortBy expression with exactly one element`);
}
