import { isArrayIndex, isDocument, own, type Document } from './document.js';

/**
 * Every value a dotted path leads to, going into each element of the arrays on its way. `undefined` stands for a field
 * that is missing there. An array at the end of the path is one value: its elements are looked at by who asks.
 */
export function leaves(value: unknown, path: readonly string[], from = 0, found: unknown[] = []): unknown[] {
  const part = path[from];
  if (part === undefined) {
    found.push(value);
  } else if (Array.isArray(value)) {
    const indexed = isArrayIndex(part) && Number(part) < value.length;
    if (indexed) leaves(value[Number(part)], path, from + 1, found);
    for (const element of value) {
      // Where the part is an index, an element without a field of that name says nothing about "missing".
      if (isDocument(element) && !(indexed && !Object.hasOwn(element, part))) leaves(element, path, from, found);
    }
  } else if (isDocument(value)) {
    leaves(own(value, part), path, from + 1, found);
  } else {
    found.push(undefined);
  }
  return found;
}

/** An array at the end of a path that reached it by its position: to a filter one value, whose elements it does not try. */
export class Whole {
  constructor(readonly array: unknown[]) {}
}

/**
 * The leaves as a filter has them, which differ where a part of the path is a position in an array: the elements beside it count as
 * well, and what cannot be entered there is not "missing" (MongoDB's BSONElementIterator).
 */
export function filteredLeaves(value: unknown, path: readonly string[], from = 0, found: unknown[] = []): unknown[] {
  const part = path[from];
  if (part === undefined) {
    found.push(value);
  } else if (Array.isArray(value)) {
    const indexed: unknown = isArrayIndex(part) ? value[Number(part)] : undefined;
    for (const element of value) if (isDocument(element)) filteredLeaves(element, path, from, found);
    if (from + 1 < path.length) {
      if (isDocument(indexed) || Array.isArray(indexed)) filteredLeaves(indexed, path, from + 1, found);
    } else if (indexed !== undefined) {
      found.push(Array.isArray(indexed) ? new Whole(indexed) : indexed);
    }
  } else if (isDocument(value)) {
    filteredLeaves(own(value, part), path, from + 1, found);
  } else {
    found.push(undefined);
  }
  return found;
}

/** The one value that a path leads to, through documents and by the positions of arrays. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((holder, part) => {
    const isThere = Array.isArray(holder) ? isArrayIndex(part) : isDocument(holder);
    return isThere ? own(holder as Document, part) : undefined;
  }, value);
}
