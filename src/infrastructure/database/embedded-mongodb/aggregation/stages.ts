import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import { Lazy, type Iterator } from 'mingo/lazy';
import * as pipelineOperators from 'mingo/operators/pipeline';
import * as windowOperators from 'mingo/operators/window';
import { CommandError, unsupported } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { leaves } from '../query/leaves.js';
import { compileProjection } from '../query/projection.js';
import { compileSortKey, sorted } from '../query/sort.js';
import { Place } from '../values/place.js';
import type { Fold } from '../values/collation.js';
import { copy, isDocument, type Document } from '../values/document.js';
import { encode } from '../values/order.js';
import { asCommandError, expressionContext, MINGO_OPTIONS } from './expressions.js';

export interface StageOptions {
  variables?: Document | undefined;
  fold?: Fold | undefined;
  /** Documents of another collection, promoted, for $lookup and its like. */
  resolve?: (collection: string) => Document[];
}

type Stage = (documents: Iterator, operand: never, options: never) => Iterator;
type Options = Parameters<typeof evalExpr>[2];

/** Runs aggregation stages over documents decoded for mingo; the documents may be changed on the way. */
export function runStages(documents: Document[], stages: Document[], options: StageOptions = {}): Document[] {
  return asCommandError(() => new Aggregator(stages, mingoOptions(options)).run<Document>(documents));
}

function mingoOptions(options: StageOptions): Options {
  const context = Context.from(expressionContext());
  context.addPipelineOps({ ...ownStages(options) } as never);
  const { $out: _out, $merge: _merge, ...stages } = pipelineOperators;
  context.addPipelineOps(stages as never);
  context.addWindowOps({ ...windowOperators } as never);
  const resolve = options.resolve ?? ((name: string) => refuseCollection(name));
  return { ...MINGO_OPTIONS, context, variables: options.variables ?? {}, collectionResolver: resolve };
}

function refuseCollection(name: string): never {
  throw new CommandError(2, `The collection ${name} cannot be read here`);
}

/** Stages in which values are compared: mingo's comparison is not BSON's, see the README. */
function ownStages(stage: StageOptions): Record<string, Stage> {
  const { fold } = stage;
  const evaluating = (options: Options) => ({
    fold,
    evaluate: (expression: unknown, document: Document) => evalExpr(document, expression, options),
  });
  const transform = (documents: Iterator, change: (all: Document[]) => Document[]): Iterator =>
    documents.transform(((all: Document[]) => Lazy(change(all))) as never);
  return {
    $match: (documents, filter, options) => {
      const matches = compileFilter(filter, evaluating(options));
      return documents.filter(matches as never);
    },
    $sort: (documents, order) => {
      if (!isDocument(order) || Object.keys(order).length === 0) {
        throw new CommandError(15976, '$sort stage must have at least one sort key');
      }
      const keyOf = compileSortKey(order, fold);
      return transform(documents, (all) => sorted(all, keyOf));
    },
    $project: (documents, specification, options) => {
      if (!isDocument(specification) || Object.keys(specification).length === 0) {
        throw new CommandError(51272, '$project specification must have at least one field');
      }
      const project = compileProjection(specification, { ...evaluating(options), isStage: true });
      return documents.map(project as never);
    },
    $group: (documents, specification: Document, options: Options) => {
      if (!('_id' in specification)) throw new CommandError(15955, 'a group specification must include an _id');
      return transform(documents, (all) => group(all, specification, options, fold));
    },
    $count: (documents, field: string) =>
      transform(documents, (all) => (all.length > 0 ? [{ [field]: all.length }] : [])),
    $lookup: (documents, specification: Document, options: Options) => lookup(documents, specification, options, stage),
    $setWindowFields: (documents, specification: Document, options: { options: Options }) => {
      if (JSON.stringify(specification).includes('"$function"')) throw unsupported('Aggregation operator $function');
      // mingo builds this stage out of its own $function, which no client can reach.
      const trusted = { ...options.options, scriptEnabled: true } as never;
      return pipelineOperators.$setWindowFields(documents, specification as never, trusted);
    },
  };
}

function group(documents: Document[], specification: Document, options: Options, fold?: Fold): Document[] {
  const { _id: expression, ...fields } = specification;
  const groups = new Map<string, { id: unknown; members: Document[] }>();
  for (const document of documents) {
    const id = evalExpr(document, expression, options) ?? null;
    const key = encode(id, fold).toString('latin1');
    const known = groups.get(key);
    if (known) known.members.push(document);
    else groups.set(key, { id, members: [document] });
  }
  return [...groups.values()].map(({ id, members }) => {
    const result: Document = { _id: id };
    for (const [name, accumulator] of Object.entries(fields)) {
      result[name] = evalExpr(members, accumulator, options) ?? null;
    }
    return result;
  });
}

function lookup(documents: Iterator, specification: Document, options: Options, stage: StageOptions): Iterator {
  const { from, localField, foreignField, as, pipeline, let: variables = {} } = specification;
  const foreign = typeof from === 'string' ? (stage.resolve ?? refuseCollection)(from) : [];
  if (typeof as !== 'string') throw new CommandError(9, "must specify 'as' field for a $lookup");
  if (!pipeline && (typeof localField !== 'string' || typeof foreignField !== 'string')) {
    throw new CommandError(9, '$lookup requires both localField and foreignField, or a pipeline');
  }
  const join =
    typeof localField === 'string' ? joiner(foreign, localField, String(foreignField), stage.fold) : () => foreign;
  return documents.map(((document: Document) => {
    let joined = join(document).map(copy);
    if (Array.isArray(pipeline)) {
      const bound = evalExpr(document, variables, options) as Document;
      joined = runStages(joined, pipeline, { ...stage, variables: { ...stage.variables, ...bound } });
    }
    const result = { ...document };
    new Place(result, as.split('.')).set(joined);
    return result;
  }) as never);
}

function joiner(
  foreign: Document[],
  localField: string,
  foreignField: string,
  fold?: Fold,
): (local: Document) => Document[] {
  const hash = (value: unknown): string => encode(value, fold).toString('latin1');
  const values = (document: Document, path: string): string[] =>
    leaves(document, path.split('.')).flatMap((leaf) => (Array.isArray(leaf) ? leaf.map(hash) : [hash(leaf)]));
  const positions = new Map<string, number[]>();
  foreign.forEach((document, position) => {
    for (const value of new Set(values(document, foreignField))) {
      positions.set(value, [...(positions.get(value) ?? []), position]);
    }
  });
  return (local) => {
    const found = new Set(values(local, localField).flatMap((value) => positions.get(value) ?? []));
    return [...found].sort((a, b) => a - b).map((position) => foreign[position] as Document);
  };
}
