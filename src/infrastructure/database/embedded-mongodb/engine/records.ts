import { ObjectId } from 'bson';
import { CommandError } from '../command-error.js';
import { countKey, documentKey, indexKey, multikeyKey, number } from '../storage/keys.js';
import type { View, WritableView } from '../storage/view.js';
import { type Document, isDocument } from '../values/document.js';
import { isRegExp } from '../values/types.js';
import type { Collection } from './catalogue.js';
import { type IndexDefinition, indexEntries, type IndexEntry } from './indexes.js';

/** Every writer of documents goes through these three, which check all indexes before they write anything. */

/** @throws CommandError 11000 when a unique index holds one of the values already */
export function insertRecord(
  view: WritableView,
  collection: Collection,
  recordId: number,
  document: Document,
  bytes: Buffer,
): void {
  checkId(document['_id']);
  const added = collection.indexes.map((index) => ({ index, entries: indexEntries(index, document) }));
  for (const { index, entries } of added) refuseDuplicates(view, collection, index, entries);
  for (const { index, entries } of added) addEntries(view, index, entries, recordId);
  view.put(documentKey(collection.id, recordId), bytes);
  view.add(countKey(collection.id), 1);
}

export function replaceRecord(
  view: WritableView,
  collection: Collection,
  recordId: number,
  before: Document,
  after: Document,
  bytes: Buffer,
): void {
  const changes = collection.indexes.map((index) => {
    const old = indexEntries(index, before);
    const entries = indexEntries(index, after);
    return { index, removed: without(old, entries), added: without(entries, old) };
  });
  for (const { index, added } of changes) refuseDuplicates(view, collection, index, added);
  for (const { index, removed, added } of changes) {
    removeEntries(view, index, removed, recordId);
    addEntries(view, index, added, recordId);
  }
  view.put(documentKey(collection.id, recordId), bytes);
}

export function removeRecord(view: WritableView, collection: Collection, recordId: number, document: Document): void {
  for (const index of collection.indexes) removeEntries(view, index, indexEntries(index, document), recordId);
  view.del(documentKey(collection.id, recordId));
  view.add(countKey(collection.id), -1);
}

export function addEntries(view: WritableView, index: IndexDefinition, entries: IndexEntry[], recordId: number): void {
  for (const { bytes } of entries) view.put(keyOf(index, bytes, recordId), number(recordId));
  if (entries.some(({ isOfArray }) => isOfArray) && !isMultikey(view, index))
    view.put(multikeyKey(index.id), number(1));
}

/** Whether the index may hold a document more than once. It stays so when the arrays are gone. */
export function isMultikey(view: View, index: IndexDefinition): boolean {
  return view.get(multikeyKey(index.id)) !== undefined;
}

export function refuseDuplicates(
  view: View,
  collection: Pick<Collection, 'namespace'>,
  index: IndexDefinition,
  entries: IndexEntry[],
): void {
  if (!index.isUnique) return;
  for (const entry of entries) {
    if (view.get(indexKey(index.id, entry.bytes))) throw duplicateKey(collection.namespace, index, entry.values);
  }
}

function removeEntries(view: WritableView, index: IndexDefinition, entries: IndexEntry[], recordId: number): void {
  for (const { bytes } of entries) view.del(keyOf(index, bytes, recordId));
}

export function keyOf(index: IndexDefinition, bytes: Buffer, recordId: number): Buffer {
  return indexKey(index.id, bytes, index.isUnique ? undefined : recordId);
}

function without(entries: IndexEntry[], others: IndexEntry[]): IndexEntry[] {
  return entries.filter((entry) => !others.some((other) => other.bytes.equals(entry.bytes)));
}

function checkId(id: unknown): void {
  const dollar = isDocument(id) ? Object.keys(id).find((key) => key.startsWith('$')) : undefined;
  if (dollar)
    throw new CommandError(52, `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`);
  if (Array.isArray(id) || isRegExp(id) || id === undefined) {
    const type = Array.isArray(id) ? 'array' : 'regex';
    throw new CommandError(53, `The '_id' value cannot be of type ${type}`);
  }
}

function duplicateKey(namespace: string, index: IndexDefinition, values: unknown[]): CommandError {
  const keyPattern = index.specification['key'] as Document;
  const keyValue: Document = {};
  index.fields.forEach(({ path }, i) => {
    keyValue[path] = typeof values[i] === 'symbol' ? null : (values[i] ?? null);
  });
  const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${show(value)}`);
  const message = `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: { ${shown.join(', ')} }`;
  return new CommandError(11000, message, { keyPattern, keyValue });
}

function show(value: unknown): string {
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  return JSON.stringify(value);
}
