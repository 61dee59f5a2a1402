import { CommandError, unsupported } from '../command-error.js';
import { compileFilter, type Predicate } from '../query/filter.js';
import { foldFor, type Fold } from '../values/collation.js';
import { isDocument, splitPath, type Document } from '../values/document.js';
import { toDouble } from '../values/numbers.js';
import { isNumber } from '../values/types.js';
import { encode } from '../values/order.js';

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
  /** Only documents it accepts are in the index. */
  covers?: Predicate | undefined;
  partialFilter?: Document | undefined;
  expireAfterSeconds?: number | undefined;
  fold?: Fold | undefined;
  /** As the client gave it and listIndexes shows it. */
  specification: Document;
}

const PARTIAL_OPERATORS = new Set(['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$type', '$in', '$and', '$or']);

/** @throws CommandError 67 for what cannot be an index here */
export function defineIndex(id: number, given: Document): IndexDefinition {
  const { key, name } = given;
  if (!isDocument(key) || Object.keys(key).length === 0) throw new CommandError(67, 'Index keys cannot be empty.');
  const fields = Object.entries(key).map(([path, direction]) => indexField(path, direction));
  const partialFilter = given['partialFilterExpression'] as Document | undefined;
  if (partialFilter !== undefined) checkPartialFilter(partialFilter);
  const isSparse = isSet(given['sparse']);
  if (isSparse && partialFilter)
    throw new CommandError(67, 'cannot mix "partialFilterExpression" and "sparse" options');
  return {
    id,
    name: typeof name === 'string' ? name : defaultName(key),
    fields,
    isUnique: isSet(given['unique']),
    isSparse,
    partialFilter,
    covers: partialFilter && compileFilter(partialFilter),
    expireAfterSeconds: lifetime(given, fields),
    fold: foldFor(given['collation']),
    specification: { v: 2, ...given, key, name: name ?? defaultName(key) },
  };
}

export function idIndex(id: number): IndexDefinition {
  return { ...defineIndex(id, { key: { _id: 1 }, name: '_id_' }), isUnique: true };
}

export function sameIndex(a: IndexDefinition, b: IndexDefinition): boolean {
  return sameKeys(a, b) && encode(essence(a)).equals(encode(essence(b)));
}

/** Two indexes over the same fields that differ in collation or partial filter may stand side by side. */
export function sameKeys(a: IndexDefinition, b: IndexDefinition): boolean {
  const keysOf = ({ specification: { key, collation, partialFilterExpression } }: IndexDefinition): Buffer =>
    encode([key, collation, partialFilterExpression]);
  return keysOf(a).equals(keysOf(b));
}

function essence({ isUnique, isSparse, expireAfterSeconds, name }: IndexDefinition): Document {
  return { isUnique, isSparse, expireAfterSeconds, name };
}

function indexField(path: string, direction: unknown): IndexField {
  if (path.includes('$**')) throw unsupported('A wildcard index', 67);
  const number = isNumber(direction) ? toDouble(direction) : NaN;
  // A hashed index answers the same queries as an ascending one, only slower for ranges.
  if (direction !== 'hashed' && !number) throw unsupported(`An index of type ${JSON.stringify(direction)}`, 67);
  return { path, parts: splitPath(path), descending: number < 0 };
}

function checkPartialFilter(filter: unknown): void {
  if (!isDocument(filter)) throw new CommandError(67, 'partialFilterExpression must be an object');
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isDocument(value)) return;
    for (const [key, operand] of Object.entries(value)) {
      const isRefused = key.startsWith('$') && (!PARTIAL_OPERATORS.has(key) || (key === '$exists' && !isSet(operand)));
      if (isRefused) throw new CommandError(67, `Expression not supported in partial index: ${key}`);
      visit(operand);
    }
  };
  visit(filter);
}

function lifetime(given: Document, fields: IndexField[]): number | undefined {
  const seconds = given['expireAfterSeconds'];
  if (seconds === undefined) return undefined;
  if (!isNumber(seconds) || !(toDouble(seconds) >= 0)) {
    throw new CommandError(67, 'TTL index expireAfterSeconds must be a number of seconds, zero or more');
  }
  if (fields.length > 1)
    throw new CommandError(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  return toDouble(seconds);
}

function isSet(option: unknown): boolean {
  return isNumber(option) ? toDouble(option) !== 0 : option === true;
}

function defaultName(key: Document): string {
  return Object.entries(key)
    .map(([path, direction]) => `${path}_${String(direction)}`)
    .join('_');
}
