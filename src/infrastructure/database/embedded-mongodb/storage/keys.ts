import { encode } from '../values/order.js';

/** First byte of every key: what the entry is. */
const CATALOGUE = 0x01;
const DOCUMENT = 0x02;
const INDEX = 0x03;
const RETRYABLE_WRITE = 0x04;
const OWNER = 0x05;
const COUNT = 0x06;
const MULTIKEY = 0x07;

export const OWNER_KEY = Buffer.from([OWNER]);

export function catalogueKey(namespace: string): Buffer {
  return Buffer.concat([Buffer.from([CATALOGUE]), encode(namespace)]);
}

export function catalogueRange(): [Buffer, Buffer] {
  return [Buffer.from([CATALOGUE]), Buffer.from([CATALOGUE + 1])];
}

/** Record ids grow with every insert, so that documents are found in the order they came. */
export function documentKey(collectionId: number, recordId: number): Buffer {
  const key = prefix(DOCUMENT, collectionId, 6);
  key.writeUIntBE(recordId, 5, 6);
  return key;
}

export function isDocumentKey(key: Buffer): boolean {
  return key[0] === DOCUMENT;
}

export function recordIdOf(documentKeyOrPointer: Buffer): number {
  return documentKeyOrPointer.readUIntBE(documentKeyOrPointer.length - 6, 6);
}

export function recordPointer(recordId: number): Buffer {
  return number(recordId);
}

export function documentRange(collectionId: number): [Buffer, Buffer] {
  return [prefix(DOCUMENT, collectionId), prefix(DOCUMENT, collectionId + 1)];
}

/** @param recordId given where several documents may share the values, absent in a unique index */
export function indexKey(indexId: number, values: Buffer, recordId?: number): Buffer {
  const parts = [prefix(INDEX, indexId), values];
  if (recordId !== undefined) parts.push(Buffer.from([0x01]), recordPointer(recordId));
  return Buffer.concat(parts);
}

export function indexRange(indexId: number): [Buffer, Buffer] {
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

export function number(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}

export function numberOf(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6);
}

export function retryableWriteKey(sessionId: string): Buffer {
  return Buffer.concat([Buffer.from([RETRYABLE_WRITE]), Buffer.from(sessionId)]);
}

export function retryableWriteRange(): [Buffer, Buffer] {
  return [Buffer.from([RETRYABLE_WRITE]), Buffer.from([RETRYABLE_WRITE + 1])];
}

function prefix(kind: number, id: number, more = 0): Buffer {
  const key = Buffer.allocUnsafe(5 + more);
  key[0] = kind;
  key.writeUInt32BE(id, 1);
  return key;
}
