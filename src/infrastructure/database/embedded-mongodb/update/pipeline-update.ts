import { compilePipeline } from '../aggregation/pipeline.js';
import { CommandError } from '../command-error.js';
import type { Scope } from '../expressions/expression.js';
import { isDocument, type Document } from '../values/document.js';

const ALLOWED = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

/** @throws CommandError for stages that are wrong, 72 for one that would make several documents of one, or none */
export function compileUpdatePipeline(pipeline: unknown[], scope: Scope): (document: Document) => Document {
  for (const stage of pipeline) {
    const name = isDocument(stage) ? Object.keys(stage)[0] : undefined;
    if (!name || !ALLOWED.has(name)) throw new CommandError(72, `${name} is not allowed to be used within an update`);
  }
  const run = compilePipeline(pipeline, { ...scope, sessions: new Map(), documentsOf: () => [] });
  return (document) => run([document])[0] as Document;
}
