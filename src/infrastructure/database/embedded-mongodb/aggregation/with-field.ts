import { assign, isDocument, own, type Document } from '../values/document.js';

/**
 * The document with another value at a path, in each element of an array on the way; undefined takes the field away.
 * What lies beside the path is shared with the document, which stays as it is.
 */
export function withField(document: Document, path: string[], value: unknown): Document {
  return changed(document, path, value) as Document;
}

function changed(holder: unknown, path: string[], value: unknown): unknown {
  if (Array.isArray(holder)) return holder.map((element) => changed(element, path, value));
  const [name = '', ...rest] = path;
  const result: Document = isDocument(holder) ? { ...holder } : {};
  const inner = rest.length > 0 ? changed(own(result, name), rest, value) : value;
  if (inner === undefined) delete result[name];
  else assign(result, name, inner);
  return result;
}
