import { EMPTY_ARRAY } from './bson-types.js';
import { isArrayIndex, isDocument, own } from './document.js';

/** What several paths lead to together. */
export interface Tuple {
  values: unknown[];
  isOfArray: boolean;
}

/** The state of the walk along one path. */
interface Cursor {
  parts: readonly string[];
  node: unknown;
  next: number;
  isExpanded: boolean;
}

/**
 * The values at several paths of a document: where one leads to an array or through it, a tuple for each of its elements.
 * @param refusal thrown if two of them lead to different arrays
 */
export function tuplesOf(
  document: unknown,
  paths: readonly (readonly string[])[],
  refusal: () => Error,
): Iterable<Tuple> {
  const start = paths.map((parts): Cursor => ({ parts, node: document, next: 0, isExpanded: false }));
  return expand(start, refusal, false);
}

function* expand(cursors: readonly Cursor[], refusal: () => Error, isOfArray: boolean): Iterable<Tuple> {
  const walked = cursors.map(walk);
  const array = walked.find((cursor) => Array.isArray(cursor.node) && !cursor.isExpanded)?.node as
    unknown[] | undefined;
  if (!array) {
    yield { values: walked.map((cursor) => cursor.node), isOfArray };
    return;
  }
  if (walked.some(({ node, isExpanded }) => Array.isArray(node) && !isExpanded && node !== array)) throw refusal();
  const elements = array.length > 0 ? array : [EMPTY_ARRAY];
  for (const element of elements) {
    const step = walked.map((cursor) => {
      if (cursor.node !== array || cursor.isExpanded) return cursor;
      const isLeaf = cursor.next >= cursor.parts.length;
      // Below an array only documents are entered: an array directly within an array has no fields.
      return { ...cursor, node: isLeaf || isDocument(element) ? element : undefined, isExpanded: isLeaf };
    });
    yield* expand(step, refusal, true);
  }
}

function walk(cursor: Cursor): Cursor {
  const { parts } = cursor;
  let { node, next } = cursor;
  while (next < parts.length) {
    const part = parts[next] as string;
    if (Array.isArray(node) && isArrayIndex(part) && !node.some((element) => isDocument(element) && part in element)) {
      node = node[Number(part)];
    } else if (Array.isArray(node)) {
      break;
    } else {
      node = isDocument(node) ? own(node, part) : undefined;
    }
    next++;
  }
  return { ...cursor, node, next };
}
