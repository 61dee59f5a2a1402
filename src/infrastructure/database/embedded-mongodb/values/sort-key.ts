import { CommandError, unsupported } from '../command-error.js';
import type { Fold } from './collation.js';
import { fieldPath, isDocument, type Document } from './document.js';
import { toDouble } from './numbers.js';
import { compare, encode, inverted } from './order.js';
import { EMPTY_ARRAY, isNumber } from './bson-types.js';
import { leaves, valueAt } from './leaves.js';
import { tuplesOf } from './tuples.js';

/** So that a small number of items is not sorted again and again. */
const SORTED_AT_ONCE = 1_000;

/** Bytes by which documents sort as the specification says. @throws CommandError for a malformed specification */
export function compileSortKey(specification: Document, fold?: Fold): (document: Document) => Buffer {
  const fields = sortFields(specification);
  const [first, ...others] = fields;
  if (first && others.length === 0) {
    const { parts, descending } = first;
    return (document) => keyOf(representative(leaves(document, parts), descending, fold), descending, fold);
  }
  const paths = fields.map(({ parts }) => parts);
  return (document) => {
    const tuples = [...tuplesOf(document, paths, parallelArrays)];
    const keys = tuples.map(({ values }) =>
      Buffer.concat(fields.map(({ descending }, i) => keyOf(values[i], descending, fold))),
    );
    return keys.reduce((smallest, key) => (Buffer.compare(key, smallest) < 0 ? key : smallest));
  };
}

function sortFields(specification: Document): { parts: string[]; descending: boolean }[] {
  return Object.entries(specification).map(([path, direction]) => {
    if (isDocument(direction)) throw unsupported('$meta sort', 2);
    const number = isNumber(direction) ? toDouble(direction) : NaN;
    if (number !== 1 && number !== -1)
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    return { parts: fieldPath(path), descending: number === -1 };
  });
}

function keyOf(value: unknown, descending: boolean, fold?: Fold): Buffer {
  const key = encode(value, fold);
  return descending ? inverted(key) : key;
}

function parallelArrays(): CommandError {
  return new CommandError(2, 'cannot sort with keys that are parallel arrays');
}

/**
 * The same for elements of an array: by a document of fields, or as they are, 1 or -1; undefined for anything else. Here an array is
 * compared as a whole, and never by one of its elements.
 */
export function elementSortKey(order: unknown, fold?: Fold): ((element: unknown) => Buffer) | undefined {
  if (isDocument(order)) {
    const fields = sortFields(order);
    return (element) =>
      Buffer.concat(fields.map(({ parts, descending }) => keyOf(valueAt(element, parts), descending, fold)));
  }
  const direction = isNumber(order) ? toDouble(order) : NaN;
  if (direction === 1) return (element) => encode(element, fold);
  return direction === -1 ? (element) => inverted(encode(element, fold)) : undefined;
}

/** The first items in the order of their keys. @param most how many; no more than twice as many are kept at a time */
export function sorted<T>(items: Iterable<T>, keyOf: (item: T) => Buffer, most = Infinity): T[] {
  let keyed: { item: T; key: Buffer }[] = [];
  const sortAll = (): typeof keyed => keyed.sort((a, b) => Buffer.compare(a.key, b.key)).slice(0, most);
  for (const item of items) {
    keyed.push({ item, key: keyOf(item) });
    if (keyed.length >= 2 * most + SORTED_AT_ONCE) keyed = sortAll();
  }
  return sortAll().map(({ item }) => item);
}

/** An array sorts by its smallest element, or by its largest where the order is descending. */
function representative(found: unknown[], descending: boolean, fold?: Fold): unknown {
  const values = found.flatMap((leaf) => (Array.isArray(leaf) ? (leaf.length > 0 ? leaf : [EMPTY_ARRAY]) : [leaf]));
  if (values.length <= 1) return values[0];
  return values.reduce((best, value) => (compare(value, best, fold) < 0 !== descending ? value : best));
}
