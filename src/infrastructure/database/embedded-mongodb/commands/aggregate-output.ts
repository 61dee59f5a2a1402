import { CommandError, unsupported } from '../command-error.js';
import type { Collection } from '../engine/catalogue.js';
import { findRecords } from '../engine/find.js';
import { createIndexes, dropCollection } from '../engine/index-builder.js';
import { decode } from '../values/decode.js';
import { isDocument, type Document } from '../values/document.js';
import type { CommandContext } from './command-context.js';
import { insertDocument, replaceDocument } from './write-commands.js';

/** Writes the results of a pipeline where its last stage, $out or $merge, says. */
export function writeOutput(context: CommandContext, results: Buffer[], { $out, $merge }: Document): void {
  const documents = results.map(decode);
  if ($out === undefined) return merge(context, $merge, documents);
  const collection = emptied(context, ...target(context, $out));
  for (const document of documents) insertDocument(context, collection, document);
}

function target({ database }: CommandContext, value: unknown): [database: string, name: string] {
  if (typeof value === 'string') return [database, value];
  if (isDocument(value) && typeof value.coll === 'string') return [String(value.db ?? database), value.coll];
  throw new CommandError(16990, 'The output collection must be a string or {db, coll}');
}

/** The collection without documents, but with its indexes. */
function emptied({ engine: { catalogue }, view }: CommandContext, database: string, name: string): Collection {
  const before = catalogue.find(`${database}.${name}`);
  if (before) dropCollection(view, catalogue, before);
  const after = catalogue.create(view, database, name, before?.options);
  const indexes = before?.indexes.slice(1).map(({ specification }) => specification) ?? [];
  return createIndexes(view, catalogue, after, indexes);
}

type Outcome = (context: CommandContext, collection: Collection, document: Document) => void;

const WHEN_NOT_MATCHED: Record<string, Outcome> = {
  insert: insertDocument,
  discard: () => undefined,
  fail: () => {
    throw new CommandError(13113, '$merge could not find a matching document in the target collection');
  },
};

/** The fields of a document that is there already; undefined: it stays as it is. */
const WHEN_MATCHED: Record<string, (before: Document, document: Document) => Document> = {
  merge: (before, document) => ({ ...before, ...document }),
  replace: (_before, document) => document,
  keepExisting: (before) => before,
  fail: (before) => {
    const details = { keyPattern: { _id: 1 }, keyValue: { _id: before._id } };
    throw new CommandError(11000, '$merge found a matching document in the target collection', details);
  },
};

function merge(context: CommandContext, operand: unknown, documents: Document[]): void {
  const options = isDocument(operand) && 'into' in operand ? operand : { into: operand };
  const { into, on = '_id', whenMatched = 'merge', whenNotMatched = 'insert' }: Document = options;
  const change = WHEN_MATCHED[String(whenMatched)];
  const add = WHEN_NOT_MATCHED[String(whenNotMatched)];
  if (!change || !add) throw unsupported('$merge with a pipeline in whenMatched');
  if (String(on) !== '_id') throw unsupported('$merge on another field than _id');
  const [database, name] = target(context, into);
  const { catalogue } = context.engine;
  const collection = catalogue.find(`${database}.${name}`) ?? catalogue.create(context.view, database, name);
  for (const document of documents) {
    const filter = { _id: { $eq: document._id } };
    const [known] = '_id' in document ? findRecords(context.view, collection, { filter, limit: 1 }) : [];
    if (known) replaceDocument(context, collection, known, (before) => change(before, document));
    else add(context, collection, document);
  }
}
