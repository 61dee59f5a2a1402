import { DBRef, deserialize, Double, Int32 } from 'bson';
import { CommandError } from '../command-error.js';
import { isDocument, MAX_DEPTH, type Document } from './document.js';

const KEEPING_TYPES = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
  validation: { utf8: false },
} as const;

/**
 * Decodes BSON keeping every numeric type: a JavaScript number is an int32, or a double that can be nothing else;
 * doubles that look like an int32 stay `Double`, int64 stays `Long`.
 * @throws CommandError 22 when the bytes are not a valid document
 */
export function decode(bytes: Buffer): Document {
  try {
    return plain(deserialize(bytes, KEEPING_TYPES), 0) as Document;
  } catch (error) {
    throw new CommandError(22, `Invalid BSON: ${(error as Error).message}`);
  }
}

/** Changes documents and arrays in place. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Int32) return value.value;
  if (value instanceof Double) return looksLikeInt32(value.value) ? value : value.value;
  if (value instanceof DBRef) return plain(referenceDocument(value), depth);
  if (!Array.isArray(value) && !isDocument(value)) return value;
  if (depth > MAX_DEPTH) throw new Error(`nested deeper than ${MAX_DEPTH} levels`);
  const holder = value as Document;
  for (const key of Object.keys(holder)) holder[key] = plain(holder[key], depth + 1);
  return value;
}

function looksLikeInt32(value: number): boolean {
  return value === Math.trunc(value) && Math.abs(value) <= 0x80000000 && !Object.is(value, -0);
}

/** For MongoDB a DBRef is a document like any other. */
function referenceDocument({ collection, oid, db, fields }: DBRef): Document {
  return { $ref: collection, $id: oid, ...(db && { $db: db }), ...fields };
}
