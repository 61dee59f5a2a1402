import { compileFilter, type FilterOptions } from '../query/filter.js';
import { compileSortKey, sorted } from '../query/sort.js';
import { documentKey, documentRange, recordIdOf } from '../storage/keys.js';
import type { View } from '../storage/view.js';
import { decode } from '../values/decode.js';
import type { Document } from '../values/document.js';
import type { Collection } from './catalogue.js';
import { plan, planSort, type Plan, type PlannerOptions } from './planner.js';

export interface StoredRecord {
  id: number;
  bytes: Buffer;
  document: Document;
}

export interface Query extends FilterOptions, PlannerOptions {
  filter: Document;
  sort?: Document | undefined;
  skip?: number | undefined;
  /** 0 or absent: all */
  limit?: number | undefined;
}

/** The matching records, in the order asked for, after skip and limit. Bad filters throw even without a collection. */
export function findRecords(view: View, collection: Collection | undefined, query: Query): StoredRecord[] {
  const { sort, skip = 0, limit = 0 } = query;
  const sortKey =
    sort && Object.keys(sort)[0] !== '$natural' && Object.keys(sort).length > 0 && compileSortKey(sort, query.fold);
  const matches = compileFilter(query.filter, query);
  if (!collection) return [];
  const planned = plan(collection, query.filter, query);
  const inOrder = sortKey && !planned && limit > 0 ? planSort(collection, sort, query) : undefined;
  const matching = filtered(candidates(view, collection, planned ?? inOrder), matches);
  const end = limit === 0 ? Infinity : skip + limit;
  if (sortKey && !inOrder) return sorted([...matching], ({ document }) => sortKey(document)).slice(skip, end);
  const found: StoredRecord[] = [];
  let position = 0;
  for (const record of matching) {
    if (position++ >= skip) found.push(record);
    if (position >= end) break;
  }
  return found;
}

/** Not to be kept open across a write. */
export function matchingRecords(view: View, collection: Collection | undefined, query: Query): Iterable<StoredRecord> {
  const matches = compileFilter(query.filter, query);
  if (!collection) return [];
  const planned = plan(collection, query.filter, query);
  return filtered(candidates(view, collection, planned), matches);
}

function* filtered(records: Iterable<StoredRecord>, matches: (document: Document) => boolean): Iterable<StoredRecord> {
  for (const record of records) if (matches(record.document)) yield record;
}

/** An index may lead to a document several times, and to documents the filter refuses. */
function* candidates(view: View, collection: Collection, planned: Plan | undefined): Iterable<StoredRecord> {
  if (!planned) {
    for (const { key, value } of view.range(...documentRange(collection.id))) {
      yield { id: recordIdOf(key), bytes: value, document: decode(value) };
    }
    return;
  }
  const seen = new Set<number>();
  for (const [from, to] of planned.ranges) {
    for (const { value } of view.range(from, to, planned.isReverse)) {
      const id = recordIdOf(value);
      if (seen.has(id)) continue;
      seen.add(id);
      const bytes = view.get(documentKey(collection.id, id));
      if (bytes) yield { id, bytes, document: decode(bytes) };
    }
  }
}
