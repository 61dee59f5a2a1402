import { CommandError, refuseOthers } from '../command-error.js';
import { compileExpression, compileVariables, knowing } from '../expressions/compile.js';
import { compileFilter } from '../query/filter.js';
import type { Fold } from '../values/collation.js';
import { isArrayIndex, isDocument, isFieldPath, own, type Document } from '../values/document.js';
import { leaves } from '../values/leaves.js';
import { toInteger } from '../values/numbers.js';
import { identity } from '../values/order.js';
import type { Compile, PipelineScope, Stage } from './stage.js';
import { withField } from './with-field.js';

export function lookup(specification: Document, scope: PipelineScope, compile: Compile): Stage {
  const { from, localField, foreignField, as, pipeline, let: variables = {}, ...others } = specification;
  refuseOthers('$lookup', 9, others);
  const isJoin = typeof localField === 'string' && typeof foreignField === 'string';
  if (!isDocument(variables)) throw new CommandError(9, "$lookup argument 'let' must be an object");
  if (pipeline !== undefined && !Array.isArray(pipeline))
    throw new CommandError(9, "'pipeline' option must be an array");
  if (typeof as !== 'string' || !isFieldPath(as)) throw new CommandError(9, "must specify 'as' field for a $lookup");
  if (!isJoin && !pipeline) throw new CommandError(9, '$lookup needs both localField and foreignField, or a pipeline');
  const bound = compileVariables(variables, scope);
  const inner = knowing(scope, Object.keys(variables));
  const source = sourceOf(from, pipeline ?? [], '$lookup', inner, compile);
  const path = as.split('.');
  return (documents) => {
    const foreign = source.documents();
    const join = isJoin ? joiner(foreign, localField.split('.'), foreignField.split('.'), scope.fold) : () => foreign;
    const found = (document: Document): Document[] => {
      inner.variables = { ...scope.variables, ...bound(document, scope.variables) };
      return source.run(join(document));
    };
    // The same for every document: found once, as MongoDB does.
    const isUncorrelated = !isJoin && Object.keys(variables).length === 0;
    let forAll: Document[] | undefined;
    return documents.map((document) =>
      withField(document, path, isUncorrelated ? (forAll ??= found(document)) : found(document)),
    );
  };
}

/** These documents, and after them those of another collection, or those that a pipeline makes of nothing. */
export function unionWith(specification: unknown, scope: PipelineScope, compile: Compile): Stage {
  const given: unknown = typeof specification === 'string' ? { coll: specification } : specification;
  if (!isDocument(given)) throw new CommandError(9, '$unionWith needs the name of a collection, or an object');
  const { coll, pipeline, ...others } = given;
  refuseOthers('$unionWith', 40415, others);
  const stages = pipeline ?? [];
  if (!Array.isArray(stages)) throw new CommandError(14, "$unionWith needs its 'pipeline' to be an array");
  const source = sourceOf(coll, stages, '$unionWith', scope, compile);
  return (documents) => [...documents, ...source.run(source.documents())];
}

interface Source {
  /** Those that are joined. */
  documents(): Document[];
  /** What the pipeline makes of those that were. */
  run: Stage;
}

/** Documents of a collection, or those with which a pipeline begins. */
function sourceOf(name: unknown, stages: unknown[], stage: string, scope: PipelineScope, compile: Compile): Source {
  const isWritten = isDocument(stages[0]) && '$documents' in stages[0];
  if (name === undefined && isWritten) {
    const written = compile(stages.slice(0, 1), scope);
    return { documents: () => written([]), run: compile(stages.slice(1), scope) };
  }
  if (typeof name === 'string' && name !== '' && !isWritten) {
    return { documents: () => scope.documentsOf(name), run: compile(stages, scope) };
  }
  throw new CommandError(9, `${stage} needs the name of a collection, or a pipeline that begins with $documents`);
}

/** Goes from document to document, breadth first, and to each of them once: a graph may have circles. */
export function graphLookup(specification: Document, scope: PipelineScope): Stage {
  const { from, startWith, connectFromField, connectToField, as, maxDepth, ...others } = specification;
  const { depthField, restrictSearchWithMatch: filter = {}, ...unknown } = others;
  refuseOthers('$graphLookup', 40104, unknown);
  const names = [from, connectFromField, connectToField, as, depthField ?? ''];
  if (!names.every((name) => typeof name === 'string') || startWith === undefined) {
    throw new CommandError(40105, '$graphLookup needs from, startWith, connectFromField, connectToField and as');
  }
  const [source, fromField, toField, target] = names as [string, string, string, string];
  const start = compileExpression(startWith, scope);
  const deepest = maxDepth === undefined ? Infinity : toInteger(maxDepth, 'maxDepth', 40102);
  if (deepest < 0) throw new CommandError(40101, 'maxDepth requires a nonnegative argument');
  if (!isDocument(filter)) throw new CommandError(40185, 'restrictSearchWithMatch must be an object');
  const accepts = compileFilter(filter, scope);
  const connections = (document: Document): unknown[] => reached(leaves(document, fromField.split('.')));
  return (documents) => {
    const foreign = byValue(scope.documentsOf(source).filter(accepts), toField.split('.'), scope.fold);
    return documents.map((document) => {
      const found = new Map<Document, number>();
      let frontier = reached([start(document, scope.variables)]);
      for (let depth = 0; frontier.length > 0 && depth <= deepest; depth += 1) {
        const next = new Set(frontier.flatMap((value) => foreign.get(identity(value, scope.fold)) ?? []));
        const added = [...next].filter((one) => !found.has(one));
        for (const one of added) found.set(one, depth);
        frontier = added.flatMap(connections);
      }
      const results = [...found].map(([one, depth]) =>
        typeof depthField === 'string' ? withField(one, depthField.split('.'), depth) : one,
      );
      return withField(document, target.split('.'), results);
    });
  };
}

/** A field that is missing leads nowhere, not to what lacks the other. */
function reached(values: unknown[]): unknown[] {
  return values.flat().filter((value) => value !== undefined);
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

/** The documents that hold a value there, in the order in which they came. An array is found by itself, and by its elements. */
function byValue(documents: Document[], path: string[], fold?: Fold): Map<string, Document[]> {
  const found = new Map<string, Document[]>();
  for (const document of documents) {
    const values = leaves(document, path).flatMap((leaf) => (Array.isArray(leaf) ? [leaf, ...leaf] : [leaf]));
    for (const key of new Set(values.map((value) => identity(value, fold)))) {
      const known = found.get(key);
      if (known) known.push(document);
      else found.set(key, [document]);
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
