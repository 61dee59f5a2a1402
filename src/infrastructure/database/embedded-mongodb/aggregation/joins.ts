import { CommandError, refuseOthers } from '../command-error.js';
import { compileExpression, compileVariables, knowing } from '../expressions/compile.js';
import { compileFilter } from '../query/filter.js';
import type { Fold } from '../values/collation.js';
import { fieldPath, isDocument, isOperatorDocument, withField, type Document } from '../values/document.js';
import { leaves } from '../values/leaves.js';
import { toInteger } from '../values/numbers.js';
import { identity } from '../values/order.js';
import type { Compile, PipelineScope, Stage } from './stage.js';

export function lookup(specification: Document, scope: PipelineScope, compile: Compile): Stage {
  const { from, localField, foreignField, as, pipeline, let: variables = {}, ...others } = specification;
  refuseOthers('$lookup', 9, others);
  if (!isDocument(variables)) throw new CommandError(9, "$lookup argument 'let' must be an object");
  if (pipeline !== undefined && !Array.isArray(pipeline))
    throw new CommandError(9, "'pipeline' option must be an array");
  if (typeof as !== 'string' || as === '') throw new CommandError(9, "must specify 'as' field for a $lookup");
  const join = joinOf(localField, foreignField, scope.fold);
  if (!join && !pipeline) throw new CommandError(9, '$lookup needs both localField and foreignField, or a pipeline');
  const bound = compileVariables(variables, scope);
  const inner = knowing(scope, Object.keys(variables));
  const source = sourceOf(from, pipeline ?? [], '$lookup', inner, compile);
  const path = fieldPath(as);
  return (documents) => {
    if (documents.length === 0) return [];
    const stored = source.isStored ? source.documents(join?.filterOf(documents)) : undefined;
    const found = (document: Document): Document[] => {
      inner.variables = { ...scope.variables, ...bound(document, scope.variables) };
      const foreign = stored ?? source.documents();
      return source.run(join ? join.matching(document, foreign) : foreign);
    };
    // The joined documents are the same for every document, so they are found once, as in MongoDB.
    const isUncorrelated = !join && Object.keys(variables).length === 0;
    let forAll: Document[] | undefined;
    return documents.map((document) =>
      withField(document, path, isUncorrelated ? (forAll ??= found(document)) : found(document)),
    );
  };
}

interface Join {
  /** A filter that matches every foreign document joined with any of these; undefined if there is none. */
  filterOf(locals: Document[]): Document | undefined;
  /** The foreign documents that share a value with a local one, in their order. */
  matching(local: Document, foreign: Document[]): Document[];
}

function joinOf(localField: unknown, foreignField: unknown, fold?: Fold): Join | undefined {
  if (localField === undefined && foreignField === undefined) return undefined;
  if (typeof localField !== 'string' || typeof foreignField !== 'string') {
    throw new CommandError(9, '$lookup needs both localField and foreignField, as strings');
  }
  const [local, path] = [fieldPath(localField), fieldPath(foreignField)];
  let known: { foreign: Document[]; places: Map<string, number[]> } | undefined;
  return {
    filterOf: (locals) => {
      const values = new Map(
        locals.flatMap((one) => localValues(one, local).map((value) => [identity(value, fold), value])),
      );
      const asked = [...values.values()];
      return asked.some(isOperatorDocument) ? undefined : { [foreignField]: { $in: asked } };
    },
    matching: (document, foreign) => {
      if (known?.foreign !== foreign) known = { foreign, places: byValue(foreign, path, fold) };
      const { places } = known;
      const all = localValues(document, local).flatMap((value) => places.get(identity(value, fold)) ?? []);
      return [...new Set(all)].sort((a, b) => a - b).map((place) => foreign[place] as Document);
    },
  };
}

/** `$unionWith`: these documents, followed by those of another collection or of a pipeline that begins with documents of its own. */
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
  /** Whether the documents come straight from a collection, and not from a pipeline that may depend on variables. */
  isStored: boolean;
  /** The documents to join. @param filter matches at least these, so that an index can find them */
  documents(filter?: Document): Document[];
  /** The result of the joined pipeline on the documents that were found. */
  run: Stage;
}

/** The documents of a collection, or of the `$documents` that a pipeline begins with. */
function sourceOf(name: unknown, stages: unknown[], stage: string, scope: PipelineScope, compile: Compile): Source {
  const isWritten = isDocument(stages[0]) && '$documents' in stages[0];
  if (name === undefined && isWritten) {
    const written = compile(stages.slice(0, 1), scope);
    return { isStored: false, documents: () => written([]), run: compile(stages.slice(1), scope, 1) };
  }
  if (typeof name === 'string' && name !== '' && !isWritten) {
    return { isStored: true, documents: (filter) => scope.documentsOf(name, filter), run: compile(stages, scope) };
  }
  throw new CommandError(9, `${stage} needs the name of a collection, or a pipeline that begins with $documents`);
}

/** `$graphLookup`: breadth first, visiting each document once, since a graph may have cycles. */
export function graphLookup(specification: Document, scope: PipelineScope): Stage {
  const { from, startWith, connectFromField, connectToField, as, maxDepth, ...others } = specification;
  const { depthField, restrictSearchWithMatch: filter = {}, ...unknown } = others;
  refuseOthers('$graphLookup', 40104, unknown);
  const names = [from, connectFromField, connectToField, as, depthField ?? 'depth'];
  if (!names.every((name) => typeof name === 'string') || startWith === undefined) {
    throw new CommandError(40105, '$graphLookup needs from, startWith, connectFromField, connectToField and as');
  }
  const [source = '', ...fields] = names;
  const [fromField = [], toField = [], target = [], depthPath = []] = fields.map(fieldPath);
  const start = compileExpression(startWith, scope);
  const deepest = maxDepth === undefined ? Infinity : toInteger(maxDepth, 'maxDepth', 40102);
  if (deepest < 0) throw new CommandError(40101, 'maxDepth requires a nonnegative argument');
  if (!isDocument(filter)) throw new CommandError(40185, 'restrictSearchWithMatch must be an object');
  const accepts = compileFilter(filter, scope);
  const connections = (document: Document): unknown[] => reached(leaves(document, fromField));
  return (documents) => {
    const foreign = scope.documentsOf(source).filter(accepts);
    const places = byValue(foreign, toField, scope.fold);
    return documents.map((document) => {
      const found = new Map<number, number>();
      let frontier = reached([start(document, scope.variables)]);
      for (let depth = 0; frontier.length > 0 && depth <= deepest; depth += 1) {
        const next = new Set(frontier.flatMap((value) => places.get(identity(value, scope.fold)) ?? []));
        const added = [...next].filter((one) => !found.has(one));
        for (const one of added) found.set(one, depth);
        frontier = added.flatMap((one) => connections(foreign[one] as Document));
      }
      const results = [...found].map(([place, depth]) => {
        const one = foreign[place] as Document;
        return depthField === undefined ? one : withField(one, depthPath, depth);
      });
      return withField(document, target, results);
    });
  };
}

/** A missing field connects to nothing, and not to documents that lack the other field. */
function reached(values: unknown[]): unknown[] {
  return values.flat().filter((value) => value !== undefined);
}

/** The values by which a local document is joined; null if there is none, even in its arrays, unlike in a foreign document. */
function localValues(document: Document, path: string[]): unknown[] {
  const found = reached(leaves(document, path));
  return found.length > 0 ? found : [null];
}

/** Positions of the documents by their values at a path. An array is found by itself, and by each of its elements. */
function byValue(documents: Document[], path: string[], fold?: Fold): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [place, document] of documents.entries()) {
    const values = leaves(document, path).flatMap((leaf) => (Array.isArray(leaf) ? [leaf, ...leaf] : [leaf]));
    for (const key of new Set(values.map((value) => identity(value, fold)))) {
      const known = found.get(key);
      if (known) known.push(place);
      else found.set(key, [place]);
    }
  }
  return found;
}
