import { CommandError } from '../command-error.js';
import type { Batch } from '../engine/cursors.js';
import { decode } from '../values/decode.js';
import { toBytes, type Document } from '../values/document.js';

export const MAX_MESSAGE_BYTES = 48_000_000;

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;

export interface Request {
  requestId: number;
  /** An error where it cannot be read, e.g. because it is nested too deeply. */
  command: Document | CommandError;
  /** The legacy frame that opens a connection; it is answered in its own format. */
  isLegacy: boolean;
  expectsReply: boolean;
}

/** A frame no client of good faith sends; the connection is closed. */
export class ProtocolError extends Error {}

/** Cuts a byte stream into frames, however it arrives. @throws ProtocolError for an impossible length */
export class FrameReader {
  private chunks: Buffer[] = [];
  private size = 0;

  push(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.size += chunk.length;
    const frames: Buffer[] = [];
    for (;;) {
      const length = this.nextLength();
      if (length === undefined || this.size < length) return frames;
      const all = this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
      frames.push(all.subarray(0, length));
      this.chunks = all.length > length ? [all.subarray(length)] : [];
      this.size -= length;
    }
  }

  private nextLength(): number | undefined {
    if (this.size < 4) return undefined;
    if ((this.chunks[0] as Buffer).length < 4) this.chunks = [Buffer.concat(this.chunks)];
    const length = (this.chunks[0] as Buffer).readInt32LE(0);
    if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES)
      throw new ProtocolError(`impossible frame length ${length}`);
    return length;
  }
}

/** @throws ProtocolError for frames of another kind or with a broken structure */
export function parseRequest(frame: Buffer): Request {
  const requestId = frame.readInt32LE(4);
  const opCode = frame.readInt32LE(12);
  try {
    if (opCode === OP_MSG) return parseMessage(frame, requestId);
    if (opCode === OP_QUERY) return parseQuery(frame, requestId);
  } catch (error) {
    if (error instanceof CommandError) return { requestId, command: error, isLegacy: false, expectsReply: true };
    throw error instanceof RangeError ? new ProtocolError('truncated frame') : error;
  }
  throw new ProtocolError(`unsupported operation ${opCode}`);
}

function parseMessage(frame: Buffer, requestId: number): Request {
  const flags = frame.readUInt32LE(16);
  const end = frame.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  let command: Document | undefined;
  const sequences = new Map<string, Document[]>();
  for (let position = 20; position < end;) {
    const kind = frame.readUInt8(position++);
    const section = sizedAt(frame.subarray(0, end), position);
    position += section.length;
    if (kind === 0) command = decode(section);
    else if (kind === 1) sequences.set(...parseSequence(section));
    else throw new ProtocolError(`unknown section kind ${kind}`);
  }
  if (!command) throw new ProtocolError('message without a body');
  for (const [name, documents] of sequences) command[name] = documents;
  return { requestId, command, isLegacy: false, expectsReply: !(flags & MORE_TO_COME) };
}

function parseSequence(section: Buffer): [string, Document[]] {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd < 0) throw new ProtocolError('sequence without a name');
  const name = section.toString('utf8', 4, nameEnd);
  if (!['documents', 'updates', 'deletes', 'ops', 'nsInfo'].includes(name))
    throw new ProtocolError(`unknown sequence ${name}`);
  const documents: Document[] = [];
  for (let position = nameEnd + 1; position < section.length;) {
    const document = sizedAt(section, position);
    documents.push(decode(document));
    position += document.length;
  }
  return [name, documents];
}

/** The section or document at a position, which begins with its size. @throws ProtocolError if it is not all there */
function sizedAt(bytes: Buffer, position: number): Buffer {
  const size = bytes.readInt32LE(position);
  if (size < 5 || position + size > bytes.length) throw new ProtocolError('a size reaches beyond its frame');
  return bytes.subarray(position, position + size);
}

function parseQuery(frame: Buffer, requestId: number): Request {
  const nameEnd = frame.indexOf(0, 20);
  const collection = frame.toString('utf8', 20, nameEnd);
  if (nameEnd < 0 || !collection.endsWith('.$cmd')) throw new ProtocolError('only commands are supported');
  const start = nameEnd + 9;
  const command = decode(frame.subarray(start, start + frame.readInt32LE(start)));
  return { requestId, command: { ...command, $db: collection.slice(0, -5) }, isLegacy: true, expectsReply: true };
}

export function formatReply(request: Request, reply: Document | Buffer): Buffer {
  const body = Buffer.isBuffer(reply) ? reply : toBytes(reply);
  const preamble = request.isLegacy ? Buffer.alloc(20) : Buffer.alloc(5);
  if (request.isLegacy) {
    preamble.writeInt32LE(8, 0);
    preamble.writeInt32LE(1, 16);
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + preamble.length + body.length, 0);
  header.writeInt32LE(request.requestId, 8);
  header.writeInt32LE(request.isLegacy ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, preamble, body]);
}

/** The reply of a cursor command, with documents copied into it byte by byte: every numeric type survives. */
export function cursorReply(field: 'firstBatch' | 'nextBatch', batch: Batch): Buffer {
  const elements = batch.documents.flatMap((document, index) => [header(0x03, String(index)), document]);
  const rest = toBytes({ id: batch.id, ns: batch.namespace }).subarray(4);
  const cursor = wrap(Buffer.concat([header(0x04, field), wrap(Buffer.concat([...elements, Buffer.alloc(1)])), rest]));
  return wrap(Buffer.concat([header(0x03, 'cursor'), cursor, toBytes({ ok: 1 }).subarray(4)]));
}

function header(type: number, name: string): Buffer {
  return Buffer.from(`${String.fromCharCode(type)}${name}\0`);
}

/** Puts the length in front of a content that ends with its zero byte. */
function wrap(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32LE(content.length + 4);
  return Buffer.concat([length, content]);
}
