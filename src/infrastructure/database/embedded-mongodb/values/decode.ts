import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  onDemand,
  Timestamp,
} from 'bson';
import { CommandError } from '../command-error.js';
import { assign, type Document } from './document.js';

const MAX_DEPTH = 200;

/** mingo compares class instances by toString(), and Binary's is a lossy UTF-8 decode under which ff equals fe. */
export class ComparableBinary extends Binary {
  override toString(): string {
    return `${this.sub_type}:${Buffer.from(this.value()).toString('hex')}`;
  }
}

/**
 * Decodes BSON keeping every numeric type: a JavaScript number is an int32, or a double that can be nothing else;
 * doubles that look like an int32 stay `Double`, int64 stays `Long`.
 * @throws CommandError 22 when the bytes are not a valid document
 */
export function decode(bytes: Buffer): Document {
  try {
    return decodeDocument(bytes, 0, 0);
  } catch (error) {
    throw new CommandError(22, `Invalid BSON: ${(error as Error).message}`);
  }
}

function decodeDocument(bytes: Buffer, start: number, depth: number): Document {
  const result: Document = {};
  for (const [type, nameStart, nameLength, position, length] of elements(bytes, start, depth)) {
    const name = bytes.toString('utf8', nameStart, nameStart + nameLength);
    assign(result, name, decodeValue(bytes, type, position, length, depth));
  }
  return result;
}

function decodeArray(bytes: Buffer, start: number, depth: number): unknown[] {
  const found = [...elements(bytes, start, depth)];
  return found.map(([type, , , position, length]) => decodeValue(bytes, type, position, length, depth));
}

function elements(bytes: Buffer, start: number, depth: number): ReturnType<typeof onDemand.parseToElements> {
  if (depth > MAX_DEPTH) throw new Error(`nested deeper than ${MAX_DEPTH} levels`);
  return onDemand.parseToElements(bytes, start);
}

function decodeValue(bytes: Buffer, type: number, start: number, length: number, depth: number): unknown {
  switch (type) {
    case 0x01:
      return asDouble(bytes.readDoubleLE(start));
    case 0x02:
      return text(bytes, start);
    case 0x03:
      return decodeDocument(bytes, start, depth + 1);
    case 0x04:
      return decodeArray(bytes, start, depth + 1);
    case 0x05:
      return binary(bytes, start, length);
    case 0x06:
    case 0x0a:
      return null;
    case 0x07:
      return new ObjectId(Uint8Array.from(bytes.subarray(start, start + length)));
    case 0x08:
      return bytes[start] === 1;
    case 0x09:
      return new Date(Number(bytes.readBigInt64LE(start)));
    case 0x0b: {
      const [pattern, options] = bytes.toString('utf8', start, start + length).split('\0');
      return new BSONRegExp(pattern as string, options);
    }
    case 0x0d:
      return new Code(text(bytes, start));
    case 0x0e:
      return new BSONSymbol(text(bytes, start));
    case 0x0f: {
      const scope = start + 8 + bytes.readInt32LE(start + 4);
      return new Code(text(bytes, start + 4), decodeDocument(bytes, scope, depth + 1));
    }
    case 0x10:
      return bytes.readInt32LE(start);
    case 0x11:
      return new Timestamp(bytes.readBigUInt64LE(start));
    case 0x12:
      return Long.fromBigInt(bytes.readBigInt64LE(start));
    case 0x13:
      return new Decimal128(Uint8Array.from(bytes.subarray(start, start + length)));
    case 0x7f:
      return new MaxKey();
    case 0xff:
      return new MinKey();
    default:
      throw new Error(`unknown type 0x${type.toString(16)}`);
  }
}

function asDouble(value: number): number | Double {
  const looksLikeInt32 = value === Math.trunc(value) && Math.abs(value) <= 0x80000000 && !Object.is(value, -0);
  return looksLikeInt32 ? new Double(value) : value;
}

function binary(bytes: Buffer, start: number, length: number): Binary {
  const subtype = bytes[start + 4] as number;
  // The old subtype 2 holds its length a second time.
  const from = start + (subtype === Binary.SUBTYPE_BYTE_ARRAY ? 9 : 5);
  return new ComparableBinary(Buffer.from(bytes.subarray(from, start + length)), subtype);
}

function text(bytes: Buffer, start: number): string {
  const end = start + 4 + bytes.readInt32LE(start) - 1;
  if (end < start + 4 || bytes[end] !== 0) throw new Error('string without terminator');
  return bytes.toString('utf8', start + 4, end);
}
