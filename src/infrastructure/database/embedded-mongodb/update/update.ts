import { CommandError } from '../command-error.js';
import { compileFilter, type FilterOptions } from '../query/filter.js';
import { matchedIndex } from '../query/matched-index.js';
import { copy, isDocument, type Document } from '../values/document.js';
import { equal } from '../values/order.js';
import { OPERATORS, type Operator, type OperatorOptions } from './field-operators.js';
import type { Place } from '../values/place.js';
import { runUpdatePipeline } from './pipeline-update.js';
import { PathResolver } from './positional.js';

export interface UpdateStatement {
  filter: Document;
  /** Operators, a whole new document, or an aggregation pipeline. */
  update: unknown;
  arrayFilters?: unknown;
  variables?: Document | undefined;
  isMulti: boolean;
}

export interface ApplyOptions {
  now: Date;
  /** true while the document of an upsert is being built */
  isInsert?: boolean;
}

export type Update = (document: Document, options: ApplyOptions) => Document;

/**
 * Compiles the update of a statement into a function from the old document, which it leaves alone, to the new one.
 * @throws CommandError for unknown operators and conflicting paths
 */
export function compileUpdate(statement: UpdateStatement, options: FilterOptions): Update {
  const { update } = statement;
  if (Array.isArray(update)) {
    return (document) => keepId(document, runUpdatePipeline(document, update, statement.variables));
  }
  if (!isDocument(update)) throw new CommandError(9, 'Update argument must be either an object or an array');
  const keys = Object.keys(update);
  if (keys[0]?.startsWith('$')) return operatorUpdate(statement, update, options);
  if (statement.isMulti) throw new CommandError(9, 'multi update is not supported for replacement-style update');
  const dollar = keys.find((key) => key.startsWith('$'));
  if (dollar) {
    throw new CommandError(
      52,
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    );
  }
  return (document) => keepId(document, copy(update));
}

function keepId(document: Document, result: Document): Document {
  if (!('_id' in document)) return result;
  if ('_id' in result && !equal(result['_id'], document['_id'])) throw immutableId();
  const { _id: _unchanged, ...rest } = result;
  return { _id: document['_id'], ...rest };
}

function immutableId(): CommandError {
  return new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

interface Step {
  path: string;
  operand: unknown;
  operator: Operator | 'rename';
}

function operatorUpdate(statement: UpdateStatement, update: Document, options: FilterOptions): Update {
  const steps = stepsOf(update);
  compileFilter(statement.filter, options);
  const resolver = new PathResolver(statement.arrayFilters, options);
  return (original, { now, isInsert = false }) => {
    const document = copy(original);
    const matched = (path: string): number | undefined => matchedIndex(statement.filter, original, path, options);
    const planned = steps.map((step) => ({ ...step, places: resolver.resolve(document, step.path, matched) }));
    resolver.checkAllUsed();
    refuseConflicts(planned.flatMap(({ places, operator, operand }) => pathsTouched(places, operator, operand)));
    const context: OperatorOptions = { ...options, now, isInsert };
    for (const { places, operator, operand } of planned) {
      for (const place of places) {
        if (operator === 'rename') rename(place, resolver.resolve(document, String(operand), matched)[0] as Place);
        else operator(place, operand, context);
      }
    }
    if ('_id' in original && !equal(original['_id'], document['_id'])) throw immutableId();
    return document;
  };
}

function stepsOf(update: Document): Step[] {
  return Object.keys(update).flatMap((name) => {
    const operator = name === '$rename' ? 'rename' : OPERATORS.get(name);
    if (!operator) {
      throw new CommandError(
        9,
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    const fields = update[name];
    if (!isDocument(fields)) {
      throw new CommandError(
        9,
        `Modifiers operate on fields but we found another type instead. For example: {$mod: {<field>: ...}} not {${name}: ${JSON.stringify(fields)}}`,
      );
    }
    return Object.keys(fields).map((path) => ({ path, operand: fields[path], operator }));
  });
}

function pathsTouched(places: Place[], operator: Operator | 'rename', operand: unknown): string[] {
  const paths = places.map((place) => place.path);
  return operator === 'rename' ? [...paths, String(operand)] : paths;
}

function refuseConflicts(paths: string[]): void {
  const sorted = paths.map((path) => `${path}.`).sort();
  for (let i = 1; i < sorted.length; i++) {
    const path = sorted[i] as string;
    const previous = sorted[i - 1] as string;
    if (path.startsWith(previous)) {
      const where = previous.slice(0, -1);
      throw new CommandError(40, `Updating the path '${path.slice(0, -1)}' would create a conflict at '${where}'`);
    }
  }
}

function rename(from: Place, to: Place): void {
  const value = from.get();
  if (value === undefined) return;
  from.unset();
  to.set(value);
}
