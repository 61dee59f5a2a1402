import { createHash } from 'node:crypto';
import { CommandError } from '../command-error.js';
import { isArrayIndex, isDocument, own, type Document } from '../values/document.js';
import { encode, inverted } from '../values/order.js';
import { EMPTY_ARRAY } from '../values/types.js';
import type { IndexDefinition } from './index-definition.js';

/** LMDB takes keys of up to 1,978 bytes; the rest is for the index id, the hash and the record id. */
export const LONGEST_VALUES = 1860;

export interface IndexEntry {
  /** Encoded values, ready for indexKey(). */
  bytes: Buffer;
  values: unknown[];
  isOfArray: boolean;
}

/** Where the walk towards one indexed field stands. */
interface Cursor {
  node: unknown;
  next: number;
  isExpanded: boolean;
}

/**
 * What an index holds for a document: one entry per element where a field is an array, none where the document is
 * outside a sparse or partial index.
 * @throws CommandError 171 when two indexed fields lie in different arrays
 */
export function indexEntries(index: IndexDefinition, document: Document): IndexEntry[] {
  if (index.covers && !index.covers(document)) return [];
  const entries = new Map<string, IndexEntry>();
  const start = index.fields.map((): Cursor => ({ node: document, next: 0, isExpanded: false }));
  for (const { values, isOfArray } of expand(index, start, false)) {
    if (index.isSparse && values.every((value) => value === undefined)) continue;
    const bytes = encodeValues(index, values);
    entries.set(bytes.toString('latin1'), { bytes, values, isOfArray });
  }
  return [...entries.values()];
}

export function encodeValues(index: IndexDefinition, values: readonly unknown[]): Buffer {
  const parts = values.map((value, i) => encodeField(index, i, value));
  const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  if (bytes.length <= LONGEST_VALUES) return bytes;
  return Buffer.concat([bytes.subarray(0, LONGEST_VALUES), createHash('sha256').update(bytes).digest()]);
}

export function encodeField(index: IndexDefinition, position: number, value: unknown): Buffer {
  const bytes = encode(value, index.fold);
  return index.fields[position]?.descending ? inverted(bytes) : bytes;
}

function* expand(
  index: IndexDefinition,
  cursors: readonly Cursor[],
  isOfArray: boolean,
): Iterable<Pick<IndexEntry, 'values' | 'isOfArray'>> {
  const walked = cursors.map((cursor, i) => walk(cursor, index.fields[i]?.parts ?? []));
  const array = walked.find((cursor) => Array.isArray(cursor.node) && !cursor.isExpanded)?.node as
    unknown[] | undefined;
  if (!array) {
    yield { values: walked.map((cursor) => cursor.node), isOfArray };
    return;
  }
  if (walked.some(({ node, isExpanded }) => Array.isArray(node) && !isExpanded && node !== array)) {
    throw new CommandError(171, `cannot index parallel arrays [${index.fields.map(({ path }) => path).join('] [')}]`);
  }
  const elements = array.length > 0 ? array : [EMPTY_ARRAY];
  for (const element of elements) {
    const step = walked.map((cursor, i) => {
      if (cursor.node !== array || cursor.isExpanded) return cursor;
      const isLeaf = cursor.next >= (index.fields[i]?.parts.length ?? 0);
      // Only documents are entered below an array: an array directly inside an array has no fields.
      return { ...cursor, node: isLeaf || isDocument(element) ? element : undefined, isExpanded: isLeaf };
    });
    yield* expand(index, step, true);
  }
}

function walk(cursor: Cursor, parts: readonly string[]): Cursor {
  let { node, next } = cursor;
  while (next < parts.length) {
    const part = parts[next] as string;
    if (Array.isArray(node) && isArrayIndex(part) && !node.some((element) => isDocument(element) && part in element)) {
      node = node[Number(part)];
    } else if (Array.isArray(node)) {
      break;
    } else {
      node = isDocument(node) ? own(node, part) : undefined;
    }
    next++;
  }
  return { ...cursor, node, next };
}
