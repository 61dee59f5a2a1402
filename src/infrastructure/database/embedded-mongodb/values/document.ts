import { serialize } from 'bson';
import { CommandError } from '../command-error.js';

export type Document = Record<string, unknown>;

export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** True for an embedded document; false for arrays, dates and BSON values such as ObjectId. */
export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

const DBREF_FIELDS = ['$ref', '$id', '$db'];

/** True for {$gt: 1}, false for {a: 1} and for a DBRef. */
export function isOperatorDocument(value: unknown): value is Document {
  if (!isDocument(value)) return false;
  const [first = ''] = Object.keys(value);
  return first.startsWith('$') && !DBREF_FIELDS.includes(first);
}

/**
 * A copy of the document with another value at a path; undefined removes the field. Everything beside the path is shared with
 * the original, which is not changed.
 * @param entersArrays true to set the field in each element of an array on the path, false to replace the array
 */
export function withField(document: Document, path: readonly string[], value: unknown, entersArrays = false): Document {
  const changed = (holder: unknown, from: number): unknown => {
    const name = path[from];
    if (name === undefined) return value;
    if (entersArrays && Array.isArray(holder)) return holder.map((element) => changed(element, from));
    const result: Document = isDocument(holder) ? { ...holder } : {};
    const inner = changed(own(result, name), from + 1);
    if (inner === undefined) delete result[name];
    else assign(result, name, inner);
    return result;
  };
  return changed(document, 0) as Document;
}

/** Reads a field without ever reaching the prototype: a field may be called `constructor`. */
export function own<T>(holder: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

/** Writes a field; plain assignment to `__proto__` would replace the prototype instead. */
export function assign(holder: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    (holder as Document)[key] = value;
  }
}

/**
 * BSON bytes of a document. Undefined fields are left out: bson would turn them into null.
 * @throws CommandError 10334 for what is too large for a reply: bson may cut it without a word
 */
export function toBytes(document: Document): Buffer {
  return serialized(document, MAX_DOCUMENT_BYTES + 16 * 1024);
}

/** What is nested deeper could not be read any more. */
export const MAX_DEPTH = 200;

/** BSON bytes of a document that is going to be stored, `_id` first. @throws CommandError 10334 above 16 MB, 15 for one nested too deeply */
export function toStoredBytes(document: Document): Buffer {
  refuseDeeper(document, 0);
  const { _id, ...rest } = document;
  return serialized(Object.keys(document)[0] === '_id' ? document : { _id, ...rest }, MAX_DOCUMENT_BYTES);
}

function refuseDeeper(value: unknown, depth: number): void {
  if (!Array.isArray(value) && !isDocument(value)) return;
  if (depth > MAX_DEPTH) throw new CommandError(15, `The document exceeds the maximum nesting depth of ${MAX_DEPTH}`);
  for (const inner of Object.values(value)) refuseDeeper(inner, depth + 1);
}

function serialized(document: Document, most: number): Buffer {
  try {
    const bytes = serialize(document, { ignoreUndefined: true });
    if (bytes.length <= most) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    // That is what writing behind the end of bson's buffer comes to, where it is noticed.
    if (!(error instanceof RangeError)) throw new CommandError(2, (error as Error).message);
  }
  throw new CommandError(10334, `BSONObj size is invalid. Size must be between 0 and ${most} (16MB)`);
}

/** A deep copy of documents and arrays; BSON values are immutable and shared. */
export function copy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (!isDocument(value)) return value;
  const result: Document = {};
  for (const key of Object.keys(value)) assign(result, key, copy(value[key]));
  return result as T;
}

/** Splits a dotted path. @throws CommandError 2 for `__proto__`, which no honest schema contains */
export function splitPath(path: string): string[] {
  const parts = path.split('.');
  if (parts.includes('__proto__'))
    throw new CommandError(2, `The path '${path}' contains the forbidden name __proto__`);
  return parts;
}

/** The first of these paths that leads to, or through, where another one leads, and that other one. */
export function collisionOf(paths: readonly string[]): [path: string, other: string] | undefined {
  const sorted = paths.map((path) => `${path}.`).toSorted();
  const position = sorted.findIndex((path, i) => i > 0 && path.startsWith(sorted[i - 1] as string));
  return position < 0 ? undefined : [sorted[position]?.slice(0, -1) ?? '', sorted[position - 1]?.slice(0, -1) ?? ''];
}

/** Whether a path can be that of a field: no name is empty, none an operator. */
export function isFieldPath(path: string): boolean {
  return path.split('.').every((name) => name !== '' && (!name.startsWith('$') || DBREF_FIELDS.includes(name)));
}

/** The names in a path. @throws CommandError 16410 where it can be that of no field, 2 for `__proto__` */
export function fieldPath(path: string): string[] {
  const names = splitPath(path);
  if (isFieldPath(path)) return names;
  throw new CommandError(16410, `FieldPath field names may not be empty or start with '$': '${path}'`);
}

/** So many elements from the start or, where negative, the end; or, where there is a count, so many from that position. */
export function sliced(list: unknown[], position: number, count?: number): unknown[] {
  if (count === undefined) return position >= 0 ? list.slice(0, position) : list.slice(position);
  const from = position >= 0 ? position : Math.max(0, list.length + position);
  return list.slice(from, from + count);
}

export function isArrayIndex(part: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(part);
}
