import { randomInt } from 'node:crypto';
import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import { Lazy, type Iterator } from 'mingo/lazy';
import * as pipelineOperators from 'mingo/operators/pipeline';
import * as queryOperators from 'mingo/operators/query';
import { CommandError, unsupported } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import { compileProjection, flatten } from '../query/projection.js';
import type { Fold } from '../values/collation.js';
import { copy, fieldAt, isDocument, isFieldPath, isOperatorDocument, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { compare, encode } from '../values/order.js';
import { withVariables } from '../expressions/expression.js';
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
import { groupedBy } from './grouped.js';
import { graphLookup, lookup, type JoinScope } from './joins.js';
import { isAccumulator } from '../expressions/own-accumulators.js';
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
  const context = Context.from(expressionContext());
  const { $out: _out, $merge: _merge, ...others } = pipelineOperators;
  // The first that is registered counts.
  context.addPipelineOps(ownStages({ resolve, fold, variables }) as never);
  context.addPipelineOps(others as never);
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
      if (!(typeof expression === 'string' && expression.startsWith('$')) && !isOperatorDocument(expression)) {
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
  const [unknown] = Object.keys(others);
  if (unknown) throw new CommandError(28811, `unrecognized option to $unwind stage: ${unknown}`);
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

/** Each holds its lower boundary; those that hold nothing are left out. */
function buckets(documents: Document[], specification: Document, options: Options, fold?: Fold): Document[] {
  const { groupBy, boundaries, default: other, output = { count: { $sum: 1 } } } = specification;
  const limits = evalExpr({}, checked(boundaries), options) as unknown[];
  const otherId = evalExpr({}, checked(other), options);
  const by = checked(groupBy);
  const bucketOf = (value: unknown): unknown => {
    const next = limits.findIndex((limit) => compare(value, limit, fold) < 0);
    if (next > 0) return limits[next - 1];
    if (other !== undefined) return otherId;
    throw new CommandError(7158300, '$bucket found a value outside its boundaries, and has no default');
  };
  const idOf = (document: Document): unknown => bucketOf(evalExpr(document, by, options));
  const found = group(documents, { _id: null, ...(output as Document) }, options, fold, idOf);
  return sorted(found, compileSortKey({ _id: 1 }, fold));
}

/** As many documents in each as in the others, as far as equal values stay together. */
function evenBuckets(documents: Document[], specification: Document, options: Options, fold?: Fold): Document[] {
  const { groupBy, buckets: most, output = { count: { $sum: 1 } }, granularity, ...others } = specification;
  const [unknown] = Object.keys(others);
  if (unknown) throw new CommandError(40245, `Unrecognized option to $bucketAuto: ${unknown}.`);
  if (granularity !== undefined) throw unsupported('A granularity of $bucketAuto', 2);
  if (!(toInteger(most, '$bucketAuto buckets', 40241) > 0)) throw new CommandError(40243, "'buckets' must be above 0");
  const by = checked(groupBy);
  const valued = documents.map((document) => ({ document, value: evalExpr(document, by, options) ?? null }));
  const inOrder = sorted(valued, ({ value }) => encode(value, fold));
  const size = Math.max(1, Math.round(inOrder.length / Number(most)));
  const found: Document[] = [];
  for (let start = 0, end = 0; start < inOrder.length; start = end) {
    end = found.length + 1 === most ? inOrder.length : Math.min(inOrder.length, start + size);
    while (end < inOrder.length && compare(inOrder[end - 1]?.value, inOrder[end]?.value, fold) === 0) end += 1;
    const _id = { min: inOrder[start]?.value, max: inOrder[Math.min(end, inOrder.length - 1)]?.value };
    const members = inOrder.slice(start, end).map(({ document }) => document);
    found.push(...group(members, { _id: null, ...(output as Document) }, options, fold, () => _id));
  }
  return found;
}

function group(
  documents: Document[],
  { _id, ...fields }: Document,
  options: Options,
  fold?: Fold,
  idOf?: (document: Document) => unknown,
): Document[] {
  for (const [name, accumulator] of Object.entries(fields)) {
    if (!isOperatorDocument(accumulator)) {
      throw new CommandError(40234, `The field '${name}' of a $group must be an accumulator object`);
    }
    const operator = Object.keys(accumulator)[0] as string;
    if (!isAccumulator(operator)) throw new CommandError(15952, `unknown group operator '${operator}'`);
    if (Array.isArray(accumulator[operator])) {
      throw new CommandError(40237, `The ${operator} accumulator is a unary operator`);
    }
    if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith('$')) throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  }
  const by = checked(_id ?? null);
  const accumulators = Object.entries(checkedFields(fields));
  const keyOf = idOf ?? ((document: Document) => evalExpr(document, by, options));
  return groupedBy(documents, (document) => keyOf(document) ?? null, fold).map(({ value: id, members }) => {
    const scoped = withVariables(options, { Group: id });
    const values = accumulators.map(([name, sum]) => [name, evalExpr(members, sum, scoped) ?? null]);
    return { _id: id, ...Object.fromEntries(values) };
  });
}
