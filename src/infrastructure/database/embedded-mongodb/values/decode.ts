import { DBRef, deserialize, Double, Int32 } from 'bson';
import { CommandError } from '../command-error.js';
import { typeName } from './bson-types.js';
import { isDocument, MAX_DEPTH, type Document } from './document.js';

const KEEPING_TYPES = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
  validation: { utf8: false },
} as const;

/** Of what the store itself has put around a document. */
const OWN_DEPTH = MAX_DEPTH + 50;

/** What the store wrote for itself, with documents of clients in it. @throws CommandError as decode() */
export function decodeOwn(bytes: Buffer): Document {
  return decode(bytes, OWN_DEPTH);
}

/**
 * Decodes BSON keeping every numeric type: a JavaScript number is an int32, or a double that can be nothing else;
 * doubles that look like an int32 stay `Double`, int64 stays `Long`.
 * @throws CommandError 22 when the bytes are not a valid document
 */
export function decode(bytes: Buffer, deepest = MAX_DEPTH): Document {
  try {
    return plain(deserialize(bytes, KEEPING_TYPES), 0, deepest) as Document;
  } catch (error) {
    throw new CommandError(22, `Invalid BSON: ${(error as Error).message}`);
  }
}

/** Changes documents and arrays in place. */
function plain(value: unknown, depth: number, deepest: number): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Int32) return value.value;
  if (value instanceof Double) return typeName(value.value) === 'int' ? value : value.value;
  if (value instanceof DBRef) return plain(referenceDocument(value), depth, deepest);
  if (!Array.isArray(value) && !isDocument(value)) return value;
  if (depth > deepest) throw new Error(`nested deeper than ${deepest} levels`);
  const holder = value as Document;
  for (const key of Object.keys(holder)) holder[key] = plain(holder[key], depth + 1, deepest);
  return value;
}

/** For MongoDB a DBRef is a document like any other. */
function referenceDocument({ collection, oid, db, fields }: DBRef): Document {
  return { $ref: collection, $id: oid, ...(db && { $db: db }), ...fields };
}
