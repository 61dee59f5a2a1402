import { randomInt } from 'node:crypto';
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import { Lazy, type Iterator } from 'mingo/lazy';
import * as pipelineOperators from 'mingo/operators/pipeline';
import * as queryOperators from 'mingo/operators/query';
import * as windowOperators from 'mingo/operators/window';
import { CommandError, unsupported } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { leaves } from '../query/leaves.js';
import { compileSortKey, sorted } from '../query/sort.js';
import { compileProjection, flatten } from '../query/projection.js';
import type { Fold } from '../values/collation.js';
import { assign, copy, isDocument, own, type Document } from '../values/document.js';
import { compare, identity } from '../values/order.js';
import { Place } from '../values/place.js';
import { asCommandError, expressionContext, settingsOf, type Scope } from './expressions.js';

export interface StageOptions extends Scope {
  /** Documents of another collection, promoted, for $lookup and its like. */
  resolve?: (collection: string) => Document[];
}

type Surroundings = Required<Omit<StageOptions, 'fold'>> & Pick<StageOptions, 'fold'>;
type Stage = (documents: Iterator, operand: never, options: never) => Iterator;
type Options = Parameters<typeof evalExpr>[2];

/** Runs aggregation stages over documents decoded for mingo; the documents may be changed on the way. */
export function runStages(documents: Document[], stages: Document[], options: StageOptions = {}): Document[] {
  const { resolve = refuseCollection, fold, variables = {} } = options;
  const context = Context.from(expressionContext());
  const { $out: _out, $merge: _merge, ...others } = pipelineOperators;
  // The first that is registered counts.
  context.addPipelineOps(ownStages({ resolve, fold, variables }) as never);
  context.addPipelineOps(others as never);
  context.addWindowOps({ ...windowOperators } as never);
  context.addQueryOps(QUERY_OPERATORS as never);
  const settings = { ...settingsOf(options), context, collectionResolver: resolve };
  return asCommandError(() => new Aggregator(stages, settings).run<Document>(documents));
}

/** For stages in which mingo itself matches documents. */
const QUERY_OPERATORS = Object.fromEntries(
  Object.keys(queryOperators).map((name) => [
    name,
    (path: string, operand: unknown) =>
      compileFilter(path === name ? { [name]: operand } : { [path]: { [name]: operand } }),
  ]),
);

function refuseCollection(name: string): never {
  throw new CommandError(2, `The collection ${name} cannot be read here`);
}

/** Stages in which values are compared: mingo's comparison is not BSON's, see the README. */
function ownStages(stage: Surroundings): Record<string, Stage> {
  const { fold } = stage;
  const evaluating = (options: Options) => ({
    fold,
    evaluate: (expression: unknown, document: Document) => evalExpr(document, expression, options),
  });
  const transform = (documents: Iterator, change: (all: Document[]) => Document[]): Iterator =>
    documents.transform(((all: Document[]) => Lazy(change(all))) as never);
  return {
    $match: (documents, filter, options) => documents.filter(compileFilter(filter, evaluating(options)) as never),
    $sort: (documents, order) => {
      if (isEmpty(order)) throw new CommandError(15976, '$sort stage must have at least one sort key');
      const keyOf = compileSortKey(order, fold);
      return transform(documents, (all) => sorted(all, keyOf));
    },
    $project: (documents, specification, options) => {
      if (isEmpty(specification)) throw new CommandError(51272, '$project must have at least one field');
      return documents.map(compileProjection(specification, { ...evaluating(options), isStage: true }) as never);
    },
    $group: (documents, specification: Document, options: Options) => {
      if (!('_id' in specification)) throw new CommandError(15955, 'a group specification must include an _id');
      return transform(documents, (all) => group(all, specification, options, fold));
    },
    $set: addFields,
    $addFields: addFields,
    $bucket: (documents, specification: Document, options: Options) =>
      transform(documents, (all) => buckets(all, specification, options, fold)),
    $sample: (documents, { size }: { size: number }) => transform(documents, (all) => shuffled(all).slice(0, size)),
    $skip: (documents, count: number) => {
      if (!(count >= 0)) throw new CommandError(5107200, 'the argument of $skip must not be negative');
      return documents.drop(count);
    },
    $limit: (documents, count: number) => {
      if (!(count > 0)) throw new CommandError(15958, 'the limit must be positive');
      return documents.take(count);
    },
    $unwind: (documents, specification: string | { path: string }, options: never) => {
      const path = typeof specification === 'string' ? specification : specification.path;
      if (!path?.startsWith('$'))
        throw new CommandError(28818, "path option to $unwind stage should be prefixed with a '$'");
      return pipelineOperators.$unwind(documents, specification, options);
    },
    $densify: (documents, specification: { range: { step: number } }, options: never) => {
      // mingo would never come to an end.
      if (!(specification.range?.step > 0)) throw new CommandError(5733401, 'the step of $densify must be positive');
      return pipelineOperators.$densify(documents, specification as never, options);
    },
    $count: (documents, field: string) =>
      transform(documents, (all) => (all.length > 0 ? [{ [field]: all.length }] : [])),
    $lookup: (documents, specification: Document, options: Options) =>
      documents.map(lookup(specification, options, stage) as never),
    // A document that is pruned as a whole is gone.
    $redact: (documents, expression, options) =>
      pipelineOperators.$redact(documents, expression, options).filter((document) => document !== undefined),
    $setWindowFields: trusted(pipelineOperators.$setWindowFields as never),
    $fill: trusted(pipelineOperators.$fill as never),
  };
}

/** mingo builds some stages out of its own $function, which no client can reach. */
function trusted(run: (documents: Iterator, specification: Document, options: object) => Iterator): Stage {
  return (documents, specification: Document, { options }: { options: object }) => {
    if (JSON.stringify(specification).includes('"$function"')) throw unsupported('Aggregation operator $function');
    return run(documents, specification, { ...options, scriptEnabled: true });
  };
}

function isEmpty(specification: unknown): boolean {
  return !isDocument(specification) || Object.keys(specification).length === 0;
}

/** {a: {b: 1}} means {'a.b': 1}: what else is in a stays. */
function addFields(documents: Iterator, specification: Document, options: Options): Iterator {
  const fields = [...flatten(specification)];
  const extended = (document: Document): Document => {
    const values = fields.map(([path, value]) => ({
      path: path.split('.'),
      value: evalExpr(document, value, options),
    }));
    return values.reduce((result, { path, value }) => withField(result, path, value) as Document, document);
  };
  return documents.map(extended as never);
}

/** In each element of an array on the way. */
function withField(holder: unknown, path: string[], value: unknown): unknown {
  if (Array.isArray(holder)) return holder.map((element) => withField(element, path, value));
  const [name = '', ...rest] = path;
  const result: Document = isDocument(holder) ? { ...holder } : {};
  const inner = rest.length > 0 ? withField(own(result, name), rest, value) : value;
  if (inner === undefined) delete result[name];
  else assign(result, name, inner);
  return result;
}

function shuffled(documents: Document[]): Document[] {
  const drawn = documents.map((document) => ({ document, lot: randomInt(2 ** 47) }));
  return drawn.sort((a, b) => a.lot - b.lot).map(({ document }) => document);
}

/** Each holds its lower boundary; those that hold nothing are left out. */
function buckets(documents: Document[], specification: Document, options: Options, fold?: Fold): Document[] {
  const { groupBy, boundaries, default: other, output = { count: { $sum: 1 } } } = specification;
  const limits = evalExpr({}, boundaries, options) as unknown[];
  const bucketOf = (value: unknown): unknown => {
    const next = limits.findIndex((limit) => compare(value, limit, fold) < 0);
    if (next > 0) return limits[next - 1];
    if (other !== undefined) return other;
    throw new CommandError(7158300, '$bucket found a value outside its boundaries, and has no default');
  };
  const idOf = (document: Document): unknown => bucketOf(evalExpr(document, groupBy, options));
  const found = group(documents, { _id: null, ...(output as Document) }, options, fold, idOf);
  return sorted(found, compileSortKey({ _id: 1 }, fold));
}

function group(
  documents: Document[],
  { _id, ...fields }: Document,
  options: Options,
  fold?: Fold,
  idOf = (document: Document): unknown => evalExpr(document, _id, options),
): Document[] {
  const groups = new Map<string, { id: unknown; members: Document[] }>();
  for (const document of documents) {
    const id = idOf(document) ?? null;
    const name = identity(id, fold);
    const known = groups.get(name);
    if (known) known.members.push(document);
    else groups.set(name, { id, members: [document] });
  }
  return [...groups.values()].map(({ id, members }) => {
    const values = Object.entries(fields).map(([name, sum]) => [name, accumulated(members, sum, options) ?? null]);
    return { _id: id, ...Object.fromEntries(values) };
  });
}

function accumulated(documents: Document[], accumulator: unknown, options: Options): unknown {
  const [name = ''] = isDocument(accumulator) ? Object.keys(accumulator) : [];
  if (!name.startsWith('$')) throw new CommandError(40234, 'The field of a $group must be an accumulator object');
  const value = evalExpr(documents, accumulator, options);
  return Array.isArray(value) && ['$top', '$bottom'].includes(name) ? value[0] : value;
}

function lookup(specification: Document, options: Options, stage: Surroundings) {
  const { from, localField, foreignField, as, pipeline, let: variables = {} } = specification;
  const foreign = typeof from === 'string' ? stage.resolve(from) : [];
  const isJoin = typeof localField === 'string' && typeof foreignField === 'string';
  if (typeof as !== 'string') throw new CommandError(9, "must specify 'as' field for a $lookup");
  if (!isJoin && !pipeline) throw new CommandError(9, '$lookup needs both localField and foreignField, or a pipeline');
  const join = isJoin ? joiner(foreign, localField.split('.'), foreignField.split('.'), stage.fold) : () => foreign;
  const found = (document: Document): Document[] => {
    const joined = join(document).map(copy);
    if (!Array.isArray(pipeline)) return joined;
    const bound = evalExpr(document, variables, options) as Document;
    return runStages(joined, pipeline, { ...stage, variables: { ...stage.variables, ...bound } });
  };
  // The same for every document: found once, as MongoDB does.
  const isUncorrelated = !isJoin && isEmpty(variables);
  let forAll: Document[] | undefined;
  return (document: Document): Document => {
    const result = { ...document };
    new Place(result, as.split('.')).set(isUncorrelated ? (forAll ??= found(document)).map(copy) : found(document));
    return result;
  };
}

/** Finds the foreign documents that share a value with a local one, in the order in which they came. */
function joiner(
  foreign: Document[],
  localField: string[],
  foreignField: string[],
  fold?: Fold,
): (local: Document) => Document[] {
  const values = (document: Document, path: string[]): Set<string> =>
    new Set(leaves(document, path).flatMap((leaf) => [leaf].flat().map((value) => identity(value, fold))));
  const found = new Map<string, Document[]>();
  for (const document of foreign) {
    for (const value of values(document, foreignField)) {
      const known = found.get(value);
      if (known) known.push(document);
      else found.set(value, [document]);
    }
  }
  return (local) => {
    const matching = [...values(local, localField)].map((value) => found.get(value) ?? []);
    if (matching.length === 1) return matching.flat();
    const all = new Set(matching.flat());
    return foreign.filter((document) => all.has(document));
  };
}
