import type { Scope } from '../expressions/expression.js';
import { compileFilter } from '../query/filter.js';
import { compileSortKey, sorted } from '../values/sort-key.js';
import { countKey, documentKey, documentRange, numberOf } from '../storage/keys.js';
import type { View } from '../storage/view.js';
import { isDocument, type Document } from '../values/document.js';
import { literalPrefix } from '../values/regex.js';
import { isRegExp, typeName } from '../values/bson-types.js';
import { LONGEST_VALUES, type Collection, type IndexDefinition } from './indexes.js';
import { plan, planOrder, type Plan, type Request } from './planner.js';
import { isMultikey, StoredRecord } from './records.js';

export interface Query extends Scope, Request {
  skip?: number | undefined;
  /** 0 or absent: all */
  limit?: number | undefined;
}

/** How the records of a query are found. */
export interface Access {
  /** Absent if the whole collection is read. */
  plan: Plan | undefined;
  /** Whether the records have to be sorted, so that all must be read before the first can be returned. */
  needsSort: boolean;
  /** Whether to read in reverse order of insertion. */
  isReverse?: boolean;
}

export function accessTo(view: View, collection: Collection, query: Query): Access {
  const { sort, limit = 0 } = query;
  const natural = sort?.$natural ?? (isDocument(query.hint) ? query.hint.$natural : undefined);
  if (natural !== undefined) return { plan: undefined, needsSort: isSorted(sort), isReverse: Number(natural) < 0 };
  const planned = plan(view, collection, query);
  if (!isSorted(sort)) return { plan: planned, needsSort: false };
  const ordered = limit > 0 ? planOrder(view, collection, query) : undefined;
  const isBetter = ordered && ordered.score >= (planned?.score ?? 0);
  return isBetter ? { plan: ordered, needsSort: false } : { plan: planned, needsSort: true };
}

function isSorted(sort: Document | undefined): sort is Document {
  const [first] = Object.keys(sort ?? {});
  return first !== undefined && first !== '$natural';
}

/** The matching records in the requested order, after skip and limit. Invalid filters throw even if there is no collection. */
export function findRecords(view: View, collection: Collection | undefined, query: Query): StoredRecord[] {
  const { sort, skip = 0 } = query;
  const sortKey = isSorted(sort) ? compileSortKey(sort, query.fold) : undefined;
  const access = collection && accessTo(view, collection, query);
  const matching = matchingRecords(view, collection, query, access);
  if (!sortKey || !access?.needsSort) return [...firstOf(matching, endOf(query))].slice(skip);
  return sorted(matching, ({ document }) => sortKey(document), endOf(query)).slice(skip);
}

function endOf({ skip = 0, limit = 0 }: Query): number {
  return limit === 0 ? Infinity : skip + limit;
}

function* firstOf<T>(items: Iterable<T>, most: number): Iterable<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    if (++count >= most) return;
  }
}

/** The number of records that findRecords() would return, without keeping them: there may be millions. */
export function countRecords(view: View, collection: Collection | undefined, query: Query): number {
  const { skip = 0 } = query;
  return Math.max(0, Math.min(countMatching(view, collection, query), endOf(query)) - skip);
}

function countMatching(view: View, collection: Collection | undefined, query: Query): number {
  // Collections created by an older version have no stored count.
  const all = collection && isOpen(query.filter) && !query.hint ? view.get(countKey(collection.id)) : undefined;
  if (all) return numberOf(all);
  const covered = collection && coveredCount(view, collection, query);
  if (covered !== undefined) return covered;
  let count = 0;
  for (const _record of firstOf(matchingRecords(view, collection, query), endOf(query))) count++;
  return count;
}

/** The records of a plan; the iteration must not be kept open across a write. */
export function matchingRecords(
  view: View,
  collection: Collection | undefined,
  query: Query,
  access = collection && accessTo(view, collection, query),
): Iterable<StoredRecord> {
  const matches = compileFilter(query.filter, query);
  if (!collection) return [];
  const records = candidates(view, collection, access);
  return isOpen(query.filter) ? records : filtered(records, ({ document }) => matches(document));
}

function* filtered<T>(items: Iterable<T>, test: (item: T) => boolean): Iterable<T> {
  for (const item of items) if (test(item)) yield item;
}

function isOpen(filter: Document): boolean {
  return Object.keys(filter).length === 0;
}

/** Records found by an index, which may lead to a document several times, and to documents that the filter does not accept. */
function* candidates(view: View, collection: Collection, access?: Access): Iterable<StoredRecord> {
  const planned = access?.plan;
  if (!planned) {
    for (const { key, value } of view.range(...documentRange(collection.id), access?.isReverse)) {
      yield new StoredRecord(numberOf(key), value);
    }
    return;
  }
  const seen = new Set<number>();
  for (const [from, to] of planned.ranges) {
    for (const { value } of view.range(from, to, planned.isReverse)) {
      const id = numberOf(value);
      if (seen.has(id)) continue;
      seen.add(id);
      const bytes = view.get(documentKey(collection.id, id));
      if (bytes) yield new StoredRecord(id, bytes);
    }
  }
}

/**
 * The number of documents that a filter accepts, counted in an index that covers the whole filter, without reading any document.
 * @returns undefined if documents have to be read
 */
export function coveredCount(view: View, collection: Collection, query: Query): number | undefined {
  const planned = plan(view, collection, query);
  const [index, ...others] = planned?.indexes ?? [];
  if (!planned || !index || others.length > 0 || query.fold || index.fold || isMultikey(view, index)) return undefined;
  if (!saysAll(planned.ranges, index, query.filter)) return undefined;
  const most = endOf(query);
  let count = 0;
  for (const [from, to] of planned.ranges) {
    for (const _entry of view.range(from, to)) if (++count >= most) return count;
  }
  return count;
}

const PLAIN = ['string', 'bool', 'objectId', 'date', 'int', 'long', 'double', 'decimal'];

/** Whether the plan's ranges contain exactly what the filter accepts: equalities, possibly followed by the prefix of a text. */
function saysAll(ranges: Plan['ranges'], index: IndexDefinition, filter: Document): boolean {
  const paths = index.fields.slice(0, Object.keys(filter).length).map(({ path }) => path);
  const isExact = paths.every((path, i) => {
    const asked = filter[path];
    return PLAIN.includes(typeName(asked)) || (i === paths.length - 1 && isRegExp(asked) && literalPrefix(asked).isAll);
  });
  // A long value is cut in the index, and may stand for several.
  const isWhole = ranges.every(([from]) => from.length < LONGEST_VALUES);
  return isExact && isWhole && paths.length === Object.keys(filter).length;
}
