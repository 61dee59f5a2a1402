import { evalExpr } from 'mingo/core';
import { CommandError, refuseOthers } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { leaves } from '../values/leaves.js';
import type { Fold } from '../values/collation.js';
import { copy, isArrayIndex, isDocument, isFieldPath, own, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { identity } from '../values/order.js';
import type { Options } from '../expressions/expression.js';
import { checked, checkedVariables } from '../expressions/expressions.js';
import { withField } from './with-field.js';

type Join = (document: Document) => Document;

/** What a join needs of the pipeline in which it stands. */
export interface JoinScope {
  fold?: Fold | undefined;
  /** Documents of another collection. */
  resolve(collection: string): Document[];
  /** Runs further stages, which know these variables as well. */
  run(documents: Document[], stages: Document[], variables: Document): Document[];
}

export function lookup(specification: Document, options: Options, scope: JoinScope): Join {
  const { from, localField, foreignField, as, pipeline, let: variables = {}, ...others } = specification;
  refuseOthers('$lookup', 9, others);
  const isJoin = typeof localField === 'string' && typeof foreignField === 'string';
  if (!isDocument(variables)) throw new CommandError(9, "$lookup argument 'let' must be an object");
  if (pipeline !== undefined && !Array.isArray(pipeline))
    throw new CommandError(9, "'pipeline' option must be an array");
  const stored = storedIn(from, pipeline, '$lookup', scope);
  if (typeof as !== 'string' || !isFieldPath(as)) throw new CommandError(9, "must specify 'as' field for a $lookup");
  if (!isJoin && !pipeline) throw new CommandError(9, '$lookup needs both localField and foreignField, or a pipeline');
  const bound = checkedVariables(variables);
  // What is written down is joined like what is stored.
  const isWritten = isJoin && from === undefined;
  const foreign = isWritten ? scope.run([], pipeline?.slice(0, 1) ?? [], {}) : stored;
  const stages = isWritten ? pipeline?.slice(1) : pipeline;
  const join = isJoin ? joiner(foreign, localField.split('.'), foreignField.split('.'), scope.fold) : () => foreign;
  const found = (document: Document): Document[] => {
    const joined = join(document).map(copy);
    if (!stages) return joined;
    return scope.run(joined, stages, evalExpr(document, bound, options) as Document);
  };
  // The same for every document: found once, as MongoDB does.
  const isUncorrelated = !isJoin && Object.keys(variables).length === 0;
  let forAll: Document[] | undefined;
  const path = as.split('.');
  return (document) =>
    withField(document, path, isUncorrelated ? (forAll ??= found(document)).map(copy) : found(document));
}

/** These documents, and after them those of another collection, or those that a pipeline makes of nothing. */
export function unionWith(specification: unknown, scope: JoinScope): (documents: Document[]) => Document[] {
  const given: unknown = typeof specification === 'string' ? { coll: specification } : specification;
  if (!isDocument(given)) throw new CommandError(9, '$unionWith needs the name of a collection, or an object');
  const { coll, pipeline: stages, ...others } = given;
  const pipeline = stages ?? [];
  refuseOthers('$unionWith', 40415, others);
  if (!Array.isArray(pipeline)) throw new CommandError(14, "$unionWith needs its 'pipeline' to be an array");
  const stored = storedIn(coll, pipeline, '$unionWith', scope);
  return (documents) => [...documents, ...scope.run(stored.map(copy), pipeline, {})];
}

/** Goes from document to document, breadth first, and to each of them once: a graph may have circles. */
export function graphLookup(specification: Document, options: Options, scope: JoinScope): Join {
  const { from, startWith, connectFromField, connectToField, as, maxDepth, ...others } = specification;
  const { depthField, restrictSearchWithMatch: filter = {}, ...unknown } = others;
  refuseOthers('$graphLookup', 40104, unknown);
  const names = [from, connectFromField, connectToField, as, depthField ?? ''];
  if (!names.every((name) => typeof name === 'string') || startWith === undefined) {
    throw new CommandError(40105, '$graphLookup needs from, startWith, connectFromField, connectToField and as');
  }
  const start = checked(startWith);
  const deepest = maxDepth === undefined ? Infinity : toInteger(maxDepth, 'maxDepth', 40102);
  if (deepest < 0) throw new CommandError(40101, 'maxDepth requires a nonnegative argument');
  if (!isDocument(filter)) throw new CommandError(40185, 'restrictSearchWithMatch must be an object');
  const [source, fromField, toField, target] = names as [string, string, string, string];
  const accepts = compileFilter(filter, {
    fold: scope.fold,
    evaluate: (expression, document) => evalExpr(document, expression, options),
  });
  const foreign = byValue(scope.resolve(source).filter(accepts), toField.split('.'), scope.fold);
  const connections = (document: Document): unknown[] => reached(leaves(document, fromField.split('.')));
  return (document) => {
    const found = new Map<Document, number>();
    let frontier = reached([evalExpr(document, start, options)]);
    for (let depth = 0; frontier.length > 0 && depth <= deepest; depth += 1) {
      const next = new Set(frontier.flatMap((value) => foreign.get(identity(value, scope.fold)) ?? []));
      const added = [...next].filter((one) => !found.has(one));
      for (const one of added) found.set(one, depth);
      frontier = added.flatMap(connections);
    }
    const results = [...found].map(([one, depth]) =>
      typeof depthField === 'string' ? withField(copy(one), depthField.split('.'), depth) : copy(one),
    );
    return withField(document, target.split('.'), results);
  };
}

/** The documents of a collection; none where a pipeline begins with its own. */
function storedIn(name: unknown, pipeline: unknown[] = [], stage: string, { resolve }: JoinScope): Document[] {
  const isOfNone = isDocument(pipeline[0]) && '$documents' in pipeline[0];
  if (name === undefined && isOfNone) return [];
  if (typeof name === 'string' && name !== '' && !isOfNone) return resolve(name);
  throw new CommandError(9, `${stage} needs the name of a collection, or a pipeline that begins with $documents`);
}

/** A field that is missing leads nowhere, not to what lacks the other. */
function reached(values: unknown[]): unknown[] {
  return values.flat().filter((value) => value !== undefined);
}

/** An array is found by itself, and by each of its elements. */
function valuesAt(document: Document, path: string[], fold?: Fold): Set<string> {
  const values = leaves(document, path).flatMap((leaf) => (Array.isArray(leaf) ? [leaf, ...leaf] : [leaf]));
  return new Set(values.map((value) => identity(value, fold)));
}

/** By what a document is joined: other than a foreign one, by null where there is nothing in its arrays either. */
function localValues(document: Document, path: string[], fold?: Fold): Set<string> {
  const found = collected(document, path);
  return new Set((found.length > 0 ? found : [null]).map((value) => identity(value, fold)));
}

function collected(holder: unknown, [name = '', ...rest]: string[]): unknown[] {
  if (Array.isArray(holder) && isArrayIndex(name)) return collected({ [name]: holder[Number(name)] }, [name, ...rest]);
  if (Array.isArray(holder)) return holder.flatMap((one) => (isDocument(one) ? collected(one, [name, ...rest]) : []));
  const value = isDocument(holder) ? own(holder, name) : undefined;
  if (rest.length > 0) return collected(value, rest);
  return value === undefined ? [] : [value].flat();
}

/** The documents that hold a value there, in the order in which they came. */
function byValue(documents: Document[], path: string[], fold?: Fold): Map<string, Document[]> {
  const found = new Map<string, Document[]>();
  for (const document of documents) {
    for (const value of valuesAt(document, path, fold)) {
      const known = found.get(value);
      if (known) known.push(document);
      else found.set(value, [document]);
    }
  }
  return found;
}

/** Finds the foreign documents that share a value with a local one, in the order in which they came. */
function joiner(foreign: Document[], localField: string[], foreignField: string[], fold?: Fold) {
  const found = byValue(foreign, foreignField, fold);
  return (local: Document): Document[] => {
    const matching = [...localValues(local, localField, fold)].map((value) => found.get(value) ?? []);
    if (matching.length === 1) return matching.flat();
    const all = new Set(matching.flat());
    return foreign.filter((document) => all.has(document));
  };
}
