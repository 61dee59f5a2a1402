import { CommandError } from '../command-error.js';
import { promote, type Scope } from '../expressions/expressions.js';
import { runStages } from '../aggregation/stages.js';
import { assign, isDocument, type Document } from '../values/document.js';

const ALLOWED = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

/** @throws CommandError for stages that are wrong, 72 for one that would make several documents of one, or none */
export function checkUpdatePipeline(pipeline: unknown[]): void {
  for (const stage of pipeline) {
    const name = isDocument(stage) ? Object.keys(stage)[0] : undefined;
    if (!name || !ALLOWED.has(name)) throw new CommandError(72, `${name} is not allowed to be used within an update`);
  }
  // Nothing comes of no document but the complaints.
  runStages([], promote(pipeline) as Document[]);
}

/** The document an update pipeline makes of another. Values it only passes on keep their numeric type. */
export function runUpdatePipeline(document: Document, pipeline: unknown[], scope: Scope): Document {
  const promoted = promote(document) as Document;
  const stages = promote(pipeline) as Document[];
  const [result] = runStages([promoted], stages, scope);
  if (!isDocument(result)) throw new CommandError(2, 'The update pipeline must produce a document');
  return restoreTypes(result, promote(document), document) as Document;
}

function restoreTypes(result: unknown, promoted: unknown, typed: unknown): unknown {
  if (Array.isArray(result)) {
    const [before, original] = [promoted, typed].map((value) => (Array.isArray(value) ? value : []));
    return result.map((element, index) => restoreTypes(element, before?.[index], original?.[index]));
  }
  if (!isDocument(result)) return result === promoted ? typed : result;
  const restored: Document = {};
  for (const key of Object.keys(result)) {
    const before = isDocument(promoted) && isDocument(typed) && Object.hasOwn(typed, key);
    assign(restored, key, before ? restoreTypes(result[key], promoted[key], typed[key]) : result[key]);
  }
  return restored;
}
