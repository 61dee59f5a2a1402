import { Binary, Double, ObjectId } from 'bson';
import { CommandError } from '../command-error.js';
import { countKey, documentKey, indexKey, multikeyKey, number } from '../storage/keys.js';
import type { View, WritableView } from '../storage/view.js';
import { decode } from '../values/decode.js';
import { isDocument, toStoredBytes, type Document } from '../values/document.js';
import { isNumber, typeName } from '../values/bson-types.js';
import { indexEntries, type Collection, type IndexDefinition, type IndexEntry } from './indexes.js';

export class StoredRecord {
  private decoded: Document | undefined;

  constructor(
    readonly id: number,
    readonly bytes: Buffer,
  ) {}

  /** Decoded on first use: many queries only pass the bytes on, or count. */
  get document(): Document {
    return (this.decoded ??= decode(this.bytes));
  }
}

// All writes of documents go through the three functions below, which check all indexes before they write anything.

/** @throws CommandError 11000 if a unique index already contains one of the values */
export function insertRecord(view: WritableView, collection: Collection, id: number, document: Document): void {
  const bytes = toStoredBytes(document);
  checkId(document._id);
  changeIndexes(view, collection, id, undefined, document);
  view.put(documentKey(collection.id, id), bytes);
  view.add(countKey(collection.id), 1);
}

/** @returns whether there is a difference. @throws CommandError as insertRecord() */
export function replaceRecord(view: WritableView, collection: Collection, old: StoredRecord, after: Document): boolean {
  const bytes = toStoredBytes(after);
  if (bytes.equals(old.bytes)) return false;
  changeIndexes(view, collection, old.id, old.document, after);
  view.put(documentKey(collection.id, old.id), bytes);
  return true;
}

export function removeRecord(view: WritableView, collection: Collection, { id, document }: StoredRecord): void {
  changeIndexes(view, collection, id, document, undefined);
  view.del(documentKey(collection.id, id));
  view.add(countKey(collection.id), -1);
}

function changeIndexes(view: WritableView, collection: Collection, id: number, old?: Document, after?: Document): void {
  const changes = collection.indexes.map((index) => {
    const [before, entries] = [old, after].map((document) => (document ? indexEntries(index, document) : []));
    return { index, removed: without(before, entries), added: without(entries, before) };
  });
  for (const { index, added } of changes) refuseDuplicates(view, collection.namespace, index, added);
  for (const { index, removed, added } of changes) {
    for (const { bytes } of removed) view.del(keyOf(index, bytes, id));
    addEntries(view, index, added, id);
  }
}

function without(entries: IndexEntry[] = [], others: IndexEntry[] = []): IndexEntry[] {
  const known = new Set(others.map(({ bytes }) => bytes.toString('latin1')));
  return entries.filter(({ bytes }) => !known.has(bytes.toString('latin1')));
}

export function addEntries(view: WritableView, index: IndexDefinition, entries: IndexEntry[], recordId: number): void {
  for (const { bytes } of entries) view.put(keyOf(index, bytes, recordId), number(recordId));
  const isMany = entries.some(({ isOfArray }) => isOfArray);
  if (isMany && !isMultikey(view, index)) view.put(multikeyKey(index.id), number(1));
}

/** Whether an index may contain a document more than once. Once marked as such, it stays so when the arrays are gone. */
export function isMultikey(view: View, index: IndexDefinition): boolean {
  return view.get(multikeyKey(index.id)) !== undefined;
}

export function refuseDuplicates(view: View, namespace: string, index: IndexDefinition, entries: IndexEntry[]): void {
  if (!index.isUnique) return;
  const known = entries.find(({ bytes }) => view.get(indexKey(index.id, bytes)));
  if (!known) return;
  const values = known.values.map((value) => (typeof value === 'symbol' ? null : (value ?? null)));
  const keyValue = Object.fromEntries(index.fields.map(({ path }, i) => [path, values[i]]));
  const message = `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: ${show(keyValue)}`;
  throw new CommandError(11000, message, { keyPattern: index.specification.key, keyValue });
}

export function keyOf(index: IndexDefinition, bytes: Buffer, recordId: number): Buffer {
  return indexKey(index.id, bytes, index.isUnique ? undefined : recordId);
}

function checkId(id: unknown): void {
  const dollar = isDocument(id) && Object.keys(id).find((key) => key.startsWith('$'));
  if (dollar) throw new CommandError(52, `_id fields may not contain '$'-prefixed fields: ${dollar}`);
  if (['array', 'regex', 'missing'].includes(typeName(id))) {
    throw new CommandError(53, `The '_id' value cannot be of type ${typeName(id)}`);
  }
}

function show(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(show).join(', ')} ]`;
  if (isDocument(value)) {
    const fields = Object.entries(value).map(([name, inner]) => `${name}: ${show(inner)}`);
    return `{ ${fields.join(', ')} }`;
  }
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Binary) {
    if (value.sub_type === Binary.SUBTYPE_UUID && value.length() === 16) return `UUID("${value.toUUID().toString()}")`;
    return `BinData(${value.sub_type}, ${Buffer.from(value.value()).toString('hex').toUpperCase()})`;
  }
  if (value instanceof Double) return value.value.toFixed(1);
  return isNumber(value) ? String(value) : JSON.stringify(value);
}
