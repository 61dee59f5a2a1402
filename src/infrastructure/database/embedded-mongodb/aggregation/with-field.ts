import { assign, isDocument, own, type Document } from '../values/document.js';

/**
 * A copy of the document with another value at a path; undefined removes the field. Everything beside the path is shared with
 * the original, which is not changed.
 * @param entersArrays true to set the field in each element of an array on the path, false to replace the array
 */
export function withField(document: Document, path: readonly string[], value: unknown, entersArrays = false): Document {
  return changed(document, path, 0, value, entersArrays) as Document;
}

function changed(
  holder: unknown,
  path: readonly string[],
  from: number,
  value: unknown,
  entersArrays: boolean,
): unknown {
  if (entersArrays && Array.isArray(holder)) {
    return holder.map((element) => changed(element, path, from, value, entersArrays));
  }
  const name = path[from] as string;
  const result: Document = isDocument(holder) ? { ...holder } : {};
  const isLast = from === path.length - 1;
  const inner = isLast ? value : changed(own(result, name), path, from + 1, value, entersArrays);
  if (inner === undefined) delete result[name];
  else assign(result, name, inner);
  return result;
}
