import { createHash } from 'node:crypto';
import { CommandError, unsupported } from '../command-error.js';
import { plainScope } from '../expressions/expression.js';
import { compileFilter, type Predicate } from '../query/filter.js';
import { checkCollation, foldFor, FOLDING, type Fold } from '../values/collation.js';
import { isDocument, isFieldPath, splitPath, type Document } from '../values/document.js';
import { isTruthy, toDouble } from '../values/numbers.js';
import { encode, equal, inverted } from '../values/order.js';
import { isNumber, isRegExp } from '../values/bson-types.js';
import { tuplesOf, type Tuple } from '../values/tuples.js';

export interface IndexField {
  path: string;
  parts: string[];
  descending: boolean;
}

export interface IndexDefinition {
  id: number;
  name: string;
  fields: IndexField[];
  isUnique: boolean;
  isSparse: boolean;
  /** Only documents that it accepts are in the index. */
  covers?: Predicate | undefined;
  partialFilter?: Document | undefined;
  expireAfterSeconds?: number | undefined;
  fold?: Fold | undefined;
  /** Of its fold, see {@link FOLDING}. */
  folding: number;
  /** The specification as the client gave it, and as listIndexes shows it. */
  specification: Document;
}

export interface Collection {
  readonly id: number;
  readonly namespace: string;
  readonly database: string;
  readonly name: string;
  readonly options: Document;
  readonly indexes: readonly IndexDefinition[];
}

/** Options of indexes. Those in the later groups are about MongoDB's storage, or belong to kinds of indexes that are refused. */
const OPTIONS = new Set(
  [
    'key name unique sparse expireAfterSeconds partialFilterExpression collation hidden',
    'v ns background dropDups storageEngine prepareUnique clustered',
    'weights default_language language_override textIndexVersion wildcardProjection',
    '2dsphereIndexVersion bits min max bucketSize',
  ].flatMap((names) => names.split(' ')),
);

const ID_OPTIONS = new Set(['key', 'name', 'v', 'ns', 'collation']);

const PARTIAL_OPERATORS = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$in', '$and', '$or']);

/** Refuses invalid requests; indexes that an older version stored are not checked. @throws CommandError 67, or 197 for an option */
export function checkIndex(given: Document): void {
  const isOfId = equal(given.key, { _id: 1 });
  const unknown = Object.keys(given).find((option) => !(isOfId ? ID_OPTIONS : OPTIONS).has(option));
  if (unknown) throw new CommandError(197, `The field '${unknown}' is not valid for an index specification.`);
  const path =
    isDocument(given.key) &&
    Object.keys(given.key).find((name) => !name.includes('$**') && (name.startsWith('$') || !isFieldPath(name)));
  if (typeof path === 'string') throw new CommandError(67, `Index key contains an illegal field name: '${path}'`);
  if (equal(given.key, { _id: -1 })) throw new CommandError(2, "The field 'key' for an _id index must be {_id: 1}");
  const { partialFilterExpression: partialFilter, expireAfterSeconds: seconds, collation } = given;
  if (isDocument(partialFilter) && Object.values(partialFilter).some(isRegExp)) {
    throw new CommandError(67, 'Expression not supported in partial index: $regex');
  }
  if (isNumber(seconds) && toDouble(seconds) >= 2 ** 31) throw new CommandError(67, 'expireAfterSeconds is too large');
  if (isTruthy(given.unique) && isDocument(given.key) && Object.values(given.key).includes('hashed')) {
    throw new CommandError(16764, 'Currently hashed indexes cannot guarantee uniqueness. Use a regular index.');
  }
  if (isDocument(given.key) && Object.values(given.key).filter((kind) => kind === 'hashed').length > 1) {
    throw new CommandError(31303, 'A maximum of one index field is allowed to be hashed');
  }
  checkCollation(collation);
}

/** @throws CommandError 67 for an index that is not supported */
export function defineIndex(id: number, given: Document, folding = FOLDING): IndexDefinition {
  const { key, partialFilterExpression: partialFilter } = given;
  if (!isDocument(key) || Object.keys(key).length === 0) throw new CommandError(67, 'Index keys cannot be empty.');
  const fields = Object.entries(key).map(([path, direction]) => indexField(path, direction));
  const name = String(given.name ?? Object.entries(key).flat().join('_'));
  const isSparse = isTruthy(given.sparse);
  if (partialFilter !== undefined) checkPartialFilter(partialFilter);
  const fold = foldFor(given.collation, folding);
  if (partialFilter && isSparse) throw new CommandError(67, 'An index is partial or sparse, not both');
  return {
    id,
    name,
    fields,
    isUnique: isTruthy(given.unique),
    isSparse,
    partialFilter: partialFilter as Document | undefined,
    covers: partialFilter ? compileFilter(partialFilter, plainScope(fold)) : undefined,
    expireAfterSeconds: lifetime(given, fields),
    fold,
    folding,
    specification: { v: 2, ...given, key, name },
  };
}

export function idIndex(id: number, collation?: unknown, folding?: number): IndexDefinition {
  const given = collation ? { collation } : {};
  return { ...defineIndex(id, { key: { _id: 1 }, name: '_id_', ...given }, folding), isUnique: true };
}

/** The index of a name, or those over the fields of a document: several may differ in collation, partial filter and so on. */
export function indexesFor({ indexes }: Collection, wanted: unknown): IndexDefinition[] {
  return indexes.filter(({ name, specification: { key } }) =>
    isDocument(wanted) ? equal(wanted, key) : name === wanted,
  );
}

/** Identifies an index: there may be two over the same fields with different collations or partial filters. */
export function isSameKey({ specification: a }: IndexDefinition, { specification: b }: IndexDefinition): boolean {
  return ['key', 'collation', 'partialFilterExpression'].every((option) => equal([a[option]], [b[option]]));
}

export function isSameIndex(a: IndexDefinition, b: IndexDefinition): boolean {
  const options = ['isUnique', 'isSparse', 'expireAfterSeconds', 'name'] as const;
  return isSameKey(a, b) && options.every((option) => a[option] === b[option]);
}

function indexField(path: string, direction: unknown): IndexField {
  if (path.includes('$**')) throw unsupported('A wildcard index', 67);
  const number = isNumber(direction) ? toDouble(direction) : NaN;
  // A hashed index is kept as an ascending one, which serves the same queries and ranges as well.
  if (direction !== 'hashed' && !number) throw unsupported(`An index of type ${JSON.stringify(direction)}`, 67);
  return { path, parts: splitPath(path), descending: number < 0 };
}

function checkPartialFilter(filter: unknown): void {
  if (!isDocument(filter)) throw new CommandError(67, 'partialFilterExpression must be an object');
  for (const [key, operand] of Object.entries(filter)) {
    const isRefused = key.startsWith('$') && (!PARTIAL_OPERATORS.has(key) || (key === '$exists' && !isTruthy(operand)));
    if (isRefused) throw new CommandError(67, `Expression not supported in partial index: ${key}`);
    for (const part of [operand].flat()) if (isDocument(part)) checkPartialFilter(part);
  }
}

function lifetime({ expireAfterSeconds: seconds }: Document, fields: IndexField[]): number | undefined {
  if (seconds === undefined) return undefined;
  const isUsable = isNumber(seconds) && toDouble(seconds) >= 0 && fields.length === 1;
  if (!isUsable) throw new CommandError(67, 'A TTL index has one field, and an expireAfterSeconds of zero or more');
  return toDouble(seconds);
}

/** LMDB's keys have up to 1,978 bytes, of which this leaves room for the index id, a hash and the record id. */
export const LONGEST_VALUES = 1860;
export const HASH_BYTES = 32;

export interface IndexEntry extends Tuple {
  /** Encoded values, ready for indexKey(). */
  bytes: Buffer;
}

/**
 * The entries of a document in an index: one for each element of an array; none if a sparse or partial index does not include the
 * document.
 * @throws CommandError 171 if two indexed fields are in different arrays
 */
export function indexEntries(index: IndexDefinition, document: Document): IndexEntry[] {
  if (index.covers && !index.covers(document)) return [];
  const entries = new Map<string, IndexEntry>();
  const paths = index.fields.map(({ parts }) => parts);
  for (const { values, isOfArray } of tuplesOf(document, paths, () => parallelArrays(index))) {
    if (index.isSparse && values.every((value) => value === undefined)) continue;
    const bytes = shortened(Buffer.concat(values.map((value, i) => encodeField(index, i, value))));
    entries.set(bytes.toString('latin1'), { bytes, values, isOfArray });
  }
  return [...entries.values()];
}

/** The encoded values of all fields, as they are in the key of an entry. */
export function shortened(bytes: Buffer): Buffer {
  if (bytes.length <= LONGEST_VALUES) return bytes;
  return Buffer.concat([bytes.subarray(0, LONGEST_VALUES), createHash('sha256').update(bytes).digest()]);
}

export function encodeField(index: IndexDefinition, position: number, value: unknown): Buffer {
  const bytes = encode(value, index.fold);
  return index.fields[position]?.descending ? inverted(bytes) : bytes;
}

function parallelArrays({ fields }: IndexDefinition): CommandError {
  return new CommandError(171, `cannot index parallel arrays [${fields.map(({ path }) => path).join('] [')}]`);
}
