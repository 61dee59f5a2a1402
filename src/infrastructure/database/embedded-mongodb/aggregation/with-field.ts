import { assign, isDocument, own, type Document } from '../values/document.js';

/**
 * The document with another value at a path; undefined takes the field away. What lies beside the path is shared with
 * the document, which stays as it is.
 * @param entersArrays Whether the field is set in each element of an array on the way, or takes the place of the array.
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
