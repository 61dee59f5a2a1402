import { toBytes } from '../values/document.js';
/** The reply of a cursor command, with documents copied into it byte by byte: every numeric type survives. */
export function cursorReply(field, batch) {
    const elements = batch.documents.flatMap((document, index) => [header(0x03, String(index)), document]);
    const rest = toBytes({ id: batch.id, ns: batch.namespace }).subarray(4);
    const cursor = wrap(Buffer.concat([header(0x04, field), wrap(Buffer.concat([...elements, Buffer.alloc(1)])), rest]));
    return wrap(Buffer.concat([header(0x03, 'cursor'), cursor, toBytes({ ok: 1 }).subarray(4)]));
}
function header(type, name) {
    return Buffer.from(`${String.fromCharCode(type)}${name}\0`);
}
/** Puts the length in front of a content that ends with its zero byte. */
function wrap(content) {
    const length = Buffer.alloc(4);
    length.writeInt32LE(content.length + 4);
    return Buffer.concat([length, content]);
}
//# sourceMappingURL=cursor-reply.js.map