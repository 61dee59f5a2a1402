import { CommandError, unsupported } from '../command-error.js';
import type { Fold } from './collation.js';
import { fieldPath, isDocument, type Document } from './document.js';
import { toDouble } from './numbers.js';
import { compare, encode, inverted } from './order.js';
import { EMPTY_ARRAY, isNumber } from './bson-types.js';
import { leaves } from './leaves.js';

/** Bytes by which documents sort as the specification says. @throws CommandError for a malformed specification */
export function compileSortKey(specification: Document, fold?: Fold): (document: Document) => Buffer {
  const fields = Object.entries(specification).map(([path, direction]) => {
    if (isDocument(direction)) throw unsupported('$meta sort', 2);
    const number = isNumber(direction) ? toDouble(direction) : NaN;
    if (number !== 1 && number !== -1)
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    return { parts: fieldPath(path), descending: number === -1 };
  });
  return (document) => {
    const keys = fields.map(({ parts, descending }) => {
      const key = encode(representative(leaves(document, parts), descending, fold), fold);
      return descending ? inverted(key) : key;
    });
    return keys.length === 1 ? (keys[0] as Buffer) : Buffer.concat(keys);
  };
}

/** The same for elements of an array: by a document of fields, or as they are, 1 or -1; undefined for anything else. */
export function elementSortKey(order: unknown, fold?: Fold): ((element: unknown) => Buffer) | undefined {
  if (isDocument(order)) return compileSortKey(order, fold) as (element: unknown) => Buffer;
  const direction = isNumber(order) ? toDouble(order) : NaN;
  if (direction === 1) return (element) => encode(element, fold);
  return direction === -1 ? (element) => inverted(encode(element, fold)) : undefined;
}

export function sorted<T>(items: readonly T[], keyOf: (item: T) => Buffer): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ item }) => item);
}

/** An array sorts by its smallest element, or by its largest where the order is descending. */
function representative(found: unknown[], descending: boolean, fold?: Fold): unknown {
  const values = found.flatMap((leaf) => (Array.isArray(leaf) ? (leaf.length > 0 ? leaf : [EMPTY_ARRAY]) : [leaf]));
  if (values.length <= 1) return values[0];
  return values.reduce((best, value) => (compare(value, best, fold) < 0 !== descending ? value : best));
}
