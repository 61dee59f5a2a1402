import { evalExpr } from 'mingo/core';
import { CommandError, refuseOthers, unsupported } from '../command-error.js';
import { isComputed, withVariables, type Options } from '../expressions/expression.js';
import { checked, checkedFields } from '../expressions/expressions.js';
import { isAccumulator } from '../expressions/own-accumulators.js';
import type { Fold } from '../values/collation.js';
import { rankOf } from '../values/bson-types.js';
import { isDocument, isOperatorDocument, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { compare, encode } from '../values/order.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import { groupedBy } from './grouped.js';

/** Each holds its lower boundary; those that hold nothing are left out. */
export function buckets(documents: Document[], specification: Document, options: Options, fold?: Fold): Document[] {
  const { groupBy, boundaries, default: other, output = { count: { $sum: 1 } }, ...others } = specification;
  refuseOthers('$bucket', 40197, others);
  if (groupBy === undefined) {
    throw new CommandError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified");
  }
  if (!isComputed(groupBy)) {
    throw new CommandError(40202, "The $bucket 'groupBy' field must be a path or an expression in an object");
  }
  if (!isDocument(output)) throw new CommandError(40196, "The $bucket 'output' field must be an object");
  if (!isConstant(boundaries)) throw new CommandError(40191, "The $bucket 'boundaries' must be constants");
  if (!isConstant(other)) throw new CommandError(40195, "The $bucket 'default' must be a constant");
  const limits = boundariesOf(evalExpr({}, checked(boundaries), options), fold);
  const otherId = evalExpr({}, checked(other), options);
  if (other !== undefined && compare(otherId, limits[0], fold) >= 0 && compare(otherId, limits.at(-1), fold) < 0) {
    throw new CommandError(40199, "The $bucket 'default' must be below the lowest boundary, or not below the highest");
  }
  const by = checked(groupBy);
  const bucketOf = (value: unknown): unknown => {
    const next = limits.findIndex((limit) => compare(value, limit, fold) < 0);
    if (next > 0) return limits[next - 1];
    if (other !== undefined) return otherId;
    throw new CommandError(7158300, '$bucket found a value outside its boundaries, and has no default');
  };
  const idOf = (document: Document): unknown => bucketOf(evalExpr(document, by, options));
  const found = group(documents, { _id: null, ...output }, options, fold, idOf);
  return sorted(found, compileSortKey({ _id: 1 }, fold));
}

function isConstant(expression: unknown): boolean {
  if (typeof expression === 'string') return !expression.startsWith('$');
  if (Array.isArray(expression)) return expression.every(isConstant);
  return !isDocument(expression) || '$literal' in expression || Object.values(expression).every(isConstant);
}

/** Two or more of one type, each above the one before it. */
function boundariesOf(boundaries: unknown, fold?: Fold): unknown[] {
  if (!Array.isArray(boundaries)) throw new CommandError(40200, "The $bucket 'boundaries' field must be an array");
  if (boundaries.length < 2)
    throw new CommandError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  if (new Set(boundaries.map(rankOf)).size > 1) {
    throw new CommandError(40193, "All values of the $bucket 'boundaries' must have the same type");
  }
  if (boundaries.slice(1).every((limit, i) => compare(boundaries[i], limit, fold) < 0)) return boundaries;
  throw new CommandError(40194, "The 'boundaries' option to $bucket must be sorted in ascending order");
}

/** As many documents in each as in the others, as far as equal values stay together. */
export function evenBuckets(documents: Document[], specification: Document, options: Options, fold?: Fold): Document[] {
  const { groupBy, buckets: most, output = { count: { $sum: 1 } }, granularity, ...others } = specification;
  refuseOthers('$bucketAuto', 40245, others);
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

export function group(
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
