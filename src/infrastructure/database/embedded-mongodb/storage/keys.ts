import { encode } from '../values/order.js';

/** First byte of every key: what the entry is. */
const CATALOGUE = 0x01;
const DOCUMENT = 0x02;
const INDEX = 0x03;
const RETRYABLE_WRITE = 0x04;
const OWNER = 0x05;
const COUNT = 0x06;
const MULTIKEY = 0x07;
const GARBAGE = 0x08;

type Range = [start: Buffer, end: Buffer];

export const OWNER_KEY = Buffer.from([OWNER]);
export const CATALOGUE_RANGE = rangeOf(CATALOGUE);
export const RETRYABLE_WRITE_RANGE = rangeOf(RETRYABLE_WRITE);
export const GARBAGE_RANGE = rangeOf(GARBAGE);

export function catalogueKey(namespace: string): Buffer {
  return Buffer.concat([Buffer.from([CATALOGUE]), encode(namespace)]);
}

export function retryableWriteKey(sessionId: string): Buffer {
  return Buffer.concat([Buffer.from([RETRYABLE_WRITE]), Buffer.from(sessionId)]);
}

/** It ends with the record id, which grows with every insert, so that documents are found in the order they came. */
export function documentKey(collectionId: number, recordId: number): Buffer {
  return Buffer.concat([prefix(DOCUMENT, collectionId), number(recordId)]);
}

export function isDocumentKey(key: Buffer): boolean {
  return key[0] === DOCUMENT;
}

export function documentRange(collectionId: number): Range {
  return [prefix(DOCUMENT, collectionId), prefix(DOCUMENT, collectionId + 1)];
}

/** @param recordId given where several documents may share the values, absent in a unique index */
export function indexKey(indexId: number, values: Buffer, recordId?: number): Buffer {
  const end = recordId === undefined ? [] : [Buffer.from([0x01]), number(recordId)];
  return Buffer.concat([prefix(INDEX, indexId), values, ...end]);
}

export function indexRange(indexId: number): Range {
  return [prefix(INDEX, indexId), prefix(INDEX, indexId + 1)];
}

/** Under it stands how many documents a collection has. */
export function countKey(collectionId: number): Buffer {
  return prefix(COUNT, collectionId);
}

/** It is there once a document had an array in one of the index's fields. */
export function multikeyKey(indexId: number): Buffer {
  return prefix(MULTIKEY, indexId);
}

/** It is there while what a collection or an index had is still to be removed. @param start of the range */
export function garbageKey(start: Buffer): Buffer {
  return Buffer.concat([Buffer.from([GARBAGE]), start]);
}

/** What is still to be removed, by such a key. */
export function garbageOf(key: Buffer): { id: number; range: Range } {
  const [kind, id] = [key.readUInt8(1), key.readUInt32BE(2)];
  return { id, range: [prefix(kind, id), prefix(kind, id + 1)] };
}

export function number(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}

/** The number in a value, or at the end of a key. */
export function numberOf(bytes: Buffer): number {
  return bytes.readUIntBE(bytes.length - 6, 6);
}

function prefix(kind: number, id: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = kind;
  key.writeUInt32BE(id, 1);
  return key;
}

function rangeOf(kind: number): Range {
  return [Buffer.from([kind]), Buffer.from([kind + 1])];
}
