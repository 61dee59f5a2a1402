import { randomInt } from 'node:crypto';
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import { Lazy, type Iterator } from 'mingo/lazy';
import * as pipelineOperators from 'mingo/operators/pipeline';
import * as queryOperators from 'mingo/operators/query';
import { CommandError, refuseOthers } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import { compileProjection, flatten } from '../query/projection.js';
import { copy, fieldAt, isDocument, isFieldPath, type Document } from '../values/document.js';
import { isComputed } from '../expressions/expression.js';
import { toInteger } from '../values/numbers.js';
import {
  asCommandError,
  checked,
  checkedFields,
  expressionContext,
  settingsOf,
  type Scope,
} from '../expressions/expressions.js';
import { densify } from './densify.js';
import { fillStages } from './fill.js';
import { buckets, evenBuckets, group } from './group-stages.js';
import { graphLookup, lookup, unionWith, type JoinScope } from './joins.js';
import { windowFields } from './windows/window-fields.js';
import { withField } from './with-field.js';

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
  checkStages(stages);
  const context = Context.from(expressionContext());
  const { $out: _out, $merge: _merge, ...others } = pipelineOperators;
  // The first that is registered counts.
  context.addPipelineOps(ownStages({ resolve, fold, variables }) as never);
  context.addPipelineOps(others as never);
  context.addQueryOps(QUERY_OPERATORS as never);
  const settings = { ...settingsOf(options), context, collectionResolver: resolve };
  return asCommandError(() => new Aggregator(stages, settings).run<Document>(documents));
}

/** Of which MongoDB asks for an object, and by which code. */
const OF_AN_OBJECT: Record<string, number> = {
  $addFields: 40272,
  $set: 40272,
  $group: 15947,
  $bucket: 40201,
  $bucketAuto: 40240,
  $lookup: 9,
  $graphLookup: 9,
  $replaceRoot: 40229,
};

/** @throws CommandError for what is no stage, or not where it stands; whether or not there is a document */
export function checkStages(stages: readonly unknown[]): void {
  stages.forEach((stage, position) => {
    const [name, another] = isDocument(stage) ? Object.keys(stage) : [];
    if (!name || another) throw new CommandError(40323, 'A pipeline stage must contain exactly one field.');
    const code = OF_AN_OBJECT[name];
    if (code && !isDocument((stage as Document)[name])) {
      throw new CommandError(code, `the ${name} specification must be an object`);
    }
    if (name === '$documents' && position > 0) {
      throw new CommandError(40602, '$documents is only valid as the first stage in a pipeline');
    }
  });
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
  const { fold, resolve } = stage;
  const run: JoinScope['run'] = (documents, stages, variables) =>
    runStages(documents, stages, { ...stage, variables: { ...stage.variables, ...variables } });
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
    $bucketAuto: (documents, specification: Document, options: Options) =>
      transform(documents, (all) => evenBuckets(all, specification, options, fold)),
    $sample: (documents, specification: Document) => {
      const size = isDocument(specification) ? toInteger(specification.size, '$sample size', 28746) : NaN;
      if (!(size > 0)) throw new CommandError(28747, '$sample takes {size: a positive integer}');
      return transform(documents, (all) => shuffled(all).slice(0, size));
    },
    $skip: (documents, count: number) => {
      if (!(count >= 0)) throw new CommandError(5107200, 'the argument of $skip must not be negative');
      return documents.drop(count);
    },
    $limit: (documents, count: number) => {
      if (!(count > 0)) throw new CommandError(15958, 'the limit must be positive');
      return documents.take(count);
    },
    $unset: (documents, fields, options) => {
      const names = [fields].flat() as unknown[];
      if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
        throw new CommandError(31120, '$unset specification must be a string or an array of strings');
      }
      const excluded = Object.fromEntries(names.map((name) => [name, 0]));
      return documents.map(compileProjection(excluded, { ...evaluating(options), isStage: true }) as never);
    },
    $unwind: (documents, specification) => {
      const unwound = unwinder(specification);
      return transform(documents, (all) => all.flatMap(unwound));
    },
    $documents: (_none, expression, options) => {
      const found = evalExpr({}, checked(expression), options);
      if (Array.isArray(found) && found.every(isDocument)) return Lazy(found);
      throw new CommandError(40228, '$documents must yield an array of objects');
    },
    $densify: (documents, specification, options) => transform(documents, densify(specification, options)),
    $count: (documents, field: unknown) => {
      if (typeof field !== 'string' || field === '' || field.startsWith('$') || field.includes('.')) {
        throw new CommandError(40156, 'the count field must be a string that is not empty, without $ and dots');
      }
      return transform(documents, (all) => (all.length > 0 ? [{ [field]: all.length }] : []));
    },
    $lookup: (documents, specification: Document, options: Options) =>
      documents.map(lookup(specification, options, { fold, resolve, run }) as never),
    $graphLookup: (documents, specification: Document, options: Options) =>
      documents.map(graphLookup(specification, options, { fold, resolve, run }) as never),
    $unionWith: (documents, specification) => transform(documents, unionWith(specification, { fold, resolve, run })),
    $facet: (documents, specification) => {
      const pipelines = facets(specification);
      return transform(documents, (all) => [
        Object.fromEntries(pipelines.map(([name, stages]) => [name, run(all.map(copy), stages, {})])),
      ]);
    },
    $redact: (documents, expression, options) => {
      const { evaluate } = evaluating(options);
      const decide = checked(expression);
      const visible = (document: Document) => redacted(document, (one) => evaluate(decide, one));
      return transform(documents, (all) => all.map(visible).filter((document) => document !== undefined));
    },
    $replaceRoot: (documents, specification: Document, options) =>
      pipelineOperators.$replaceRoot(documents, checkedFields(specification) as never, options),
    $replaceWith: (documents, expression, options) =>
      pipelineOperators.$replaceWith(documents, checked(expression) as never, options),
    $sortByCount: (documents, expression: unknown) => {
      if (!isComputed(expression)) {
        throw new CommandError(40148, 'the sortByCount field must be a path or an expression in an object');
      }
      return transform(documents, (all) =>
        run(all, [{ $group: { _id: expression, count: { $sum: 1 } } }, { $sort: { count: -1 } }], {}),
      );
    },
    $setWindowFields: (documents, specification, options) =>
      transform(documents, windowFields(specification, options, fold)),
    $fill: (documents, specification) => transform(documents, (all) => run(all, fillStages(specification), {})),
  };
}

function isEmpty(specification: unknown): boolean {
  return !isDocument(specification) || Object.keys(specification).length === 0;
}

const OF_WHOLE_PIPELINES = ['$facet', '$out', '$merge', '$documents'];

/** Pipelines that look at the same documents, by their names. */
function facets(specification: unknown): [name: string, stages: Document[]][] {
  if (isEmpty(specification)) throw new CommandError(40169, 'the $facet specification must be a non-empty object');
  return Object.entries(specification as Document).map(([name, stages]) => {
    if (!isFieldPath(name) || name.includes('.')) throw new CommandError(16410, `${name} is no name of a field`);
    if (!Array.isArray(stages)) throw new CommandError(40170, 'arguments to $facet must be arrays');
    checkStages(stages);
    const refused = stages
      .flatMap((stage) => Object.keys(stage as object))
      .find((one) => OF_WHOLE_PIPELINES.includes(one));
    if (refused) throw new CommandError(40600, `${refused} is not allowed to be used within a $facet stage`);
    return [name, stages as Document[]];
  });
}

/** {a: {b: 1}} means {'a.b': 1}: what else is in a stays. */
function addFields(documents: Iterator, specification: Document, options: Options): Iterator {
  const fields = [...flatten(specification)].map(([path, value]) => [path, checked(value)] as const);
  if (!fields.every(([path]) => isFieldPath(path))) {
    throw new CommandError(16410, "FieldPath field names may not be empty or start with '$'");
  }
  const extended = (document: Document): Document => {
    const values = fields.map(([path, value]) => ({
      path: path.split('.'),
      value: evalExpr(document, value, options),
    }));
    return values.reduce((result, { path, value }) => withField(result, path, value), document);
  };
  return documents.map(extended as never);
}

/** A document for each element of an array; other values stay as they are. A path never leads through an array. */
function unwinder(specification: unknown): (document: Document) => Document[] {
  const options: Document = isDocument(specification) ? specification : { path: specification };
  const { path, includeArrayIndex: index, preserveNullAndEmptyArrays: keepsEmpty, ...others } = options;
  refuseOthers('$unwind', 28811, others);
  if (typeof path !== 'string' || !path.startsWith('$')) {
    throw new CommandError(28818, "path option to $unwind stage should be prefixed with a '$'");
  }
  if (index !== undefined && (typeof index !== 'string' || index === '' || index.startsWith('$'))) {
    throw new CommandError(28822, 'includeArrayIndex option to $unwind stage must be a path without a $');
  }
  const parts = path.slice(1).split('.');
  const numbered = (document: Document, number: number | null): Document =>
    index === undefined ? document : withField(document, index.split('.'), number);
  return (document) => {
    const found = fieldAt(document, parts);
    if (Array.isArray(found) && found.length > 0) {
      // Later stages of mingo's write into what is nested.
      return found.map((element, i) => copy(numbered(withField(document, parts, element), i)));
    }
    if (Array.isArray(found)) return keepsEmpty ? [numbered(withField(document, parts, undefined), null)] : [];
    const isEmptyValue = found === undefined || found === null;
    return isEmptyValue && !keepsEmpty ? [] : [numbered(document, null)];
  };
}

/** Without what an expression hides, at any depth; undefined: nothing is left. */
function redacted(document: Document, decide: (document: Document) => unknown): Document | undefined {
  const decision = decide(document);
  if (decision === '$$KEEP') return document;
  if (decision === '$$PRUNE') return undefined;
  if (decision !== '$$DESCEND') throw new CommandError(17053, '$redact must yield $$KEEP, $$PRUNE or $$DESCEND');
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within).filter((element) => element !== undefined);
    return isDocument(value) ? redacted(value, decide) : value;
  };
  const fields = Object.entries(document).map(([name, value]) => [name, within(value)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function shuffled(documents: Document[]): Document[] {
  const drawn = documents.map((document) => ({ document, lot: randomInt(2 ** 47) }));
  return drawn.sort((a, b) => a.lot - b.lot).map(({ document }) => document);
}
