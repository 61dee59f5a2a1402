import { encode } from '../values/order.js';
/** First byte of every key: what the entry is. */
const CATALOGUE = 0x01;
const DOCUMENT = 0x02;
const INDEX = 0x03;
const RETRYABLE_WRITE = 0x04;
const OWNER = 0x05;
export const OWNER_KEY = Buffer.from([OWNER]);
export function catalogueKey(namespace) {
    return Buffer.concat([Buffer.from([CATALOGUE]), encode(namespace)]);
}
export function catalogueRange() {
    return [Buffer.from([CATALOGUE]), Buffer.from([CATALOGUE + 1])];
}
/** Record ids grow with every insert, so that documents are found in the order they came. */
export function documentKey(collectionId, recordId) {
    const key = prefix(DOCUMENT, collectionId, 6);
    key.writeUIntBE(recordId, 5, 6);
    return key;
}
export function recordIdOf(documentKeyOrPointer) {
    return documentKeyOrPointer.readUIntBE(documentKeyOrPointer.length - 6, 6);
}
export function recordPointer(recordId) {
    const pointer = Buffer.allocUnsafe(6);
    pointer.writeUIntBE(recordId, 0, 6);
    return pointer;
}
export function documentRange(collectionId) {
    return [prefix(DOCUMENT, collectionId), prefix(DOCUMENT, collectionId + 1)];
}
/** @param recordId given where several documents may share the values, absent in a unique index */
export function indexKey(indexId, values, recordId) {
    const parts = [prefix(INDEX, indexId), values];
    if (recordId !== undefined)
        parts.push(Buffer.from([0x01]), recordPointer(recordId));
    return Buffer.concat(parts);
}
export function indexRange(indexId) {
    return [prefix(INDEX, indexId), prefix(INDEX, indexId + 1)];
}
export function retryableWriteKey(sessionId) {
    return Buffer.concat([Buffer.from([RETRYABLE_WRITE]), Buffer.from(sessionId)]);
}
export function retryableWriteRange() {
    return [Buffer.from([RETRYABLE_WRITE]), Buffer.from([RETRYABLE_WRITE + 1])];
}
function prefix(kind, id, more = 0) {
    const key = Buffer.allocUnsafe(5 + more);
    key[0] = kind;
    key.writeUInt32BE(id, 1);
    return key;
}
//# sourceMappingURL=keys.js.map