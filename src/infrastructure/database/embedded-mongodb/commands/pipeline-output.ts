import { CommandError, refuseOthers } from '../command-error.js';
import type { Collection } from '../engine/collection.js';
import { findRecords } from '../engine/find.js';
import { checkedVariables, evaluate, promote, type Scope } from '../expressions/expressions.js';
import { checkUpdatePipeline, runUpdatePipeline } from '../update/pipeline-update.js';
import { keepId, refuseDollars } from '../update/update.js';
import type { Fold } from '../values/collation.js';
import { decode } from '../values/decode.js';
import { fieldAt, isDocument, own, type Document } from '../values/document.js';
import { equal } from '../values/order.js';
import type { CommandContext } from './command-context.js';
import { insertDocument, replaceDocument } from './write-commands.js';

/** True for a pipeline that ends in $out or $merge and so has to run alone among writers. */
export function writesOutput(command: Document): boolean {
  return isOutput([command.pipeline].flat().at(-1));
}

export function isOutput(stage: unknown): boolean {
  return isDocument(stage) && ('$out' in stage || '$merge' in stage);
}

/** Writes the results of a pipeline where its last stage, $out or $merge, says. */
export function writeOutput(context: CommandContext, results: Buffer[], { $out, $merge }: Document): void {
  const documents = results.map(decode);
  if ($out === undefined) return merge(context, $merge, documents);
  const collection = emptied(context, ...target(context, $out));
  for (const document of documents) insertDocument(context, collection, document);
}

function target({ database }: CommandContext, value: unknown): [database: string, name: string] {
  if (typeof value === 'string') return [database, value];
  if (isDocument(value)) {
    const { coll, db = database, ...others } = value;
    const isNamed = [coll, db].every((name) => typeof name === 'string' && name !== '');
    if (isNamed && Object.keys(others).length === 0) return [db as string, coll as string];
  }
  throw new CommandError(16990, 'The output collection must be a string or {db, coll}');
}

/** The collection without documents, but with its indexes. */
function emptied({ engine: { catalogue }, view }: CommandContext, database: string, name: string): Collection {
  const before = catalogue.find(`${database}.${name}`);
  if (before) catalogue.drop(view, before);
  const after = catalogue.create(view, database, name, before?.options);
  const indexes = before?.indexes.slice(1).map(({ specification }) => specification) ?? [];
  return catalogue.createIndexes(view, after, indexes);
}

/** What is done with a document whose like is not there. */
const WHEN_NOT_MATCHED: Record<string, (context: CommandContext, collection: Collection, document: Document) => void> =
  {
    insert: insertDocument,
    discard: () => undefined,
    fail: () => {
      throw new CommandError(13113, '$merge could not find a matching document in the target collection');
    },
  };

/** What becomes of a document that is there already. */
type Change = (before: Document, document: Document) => Document;

const WHEN_MATCHED: Record<string, Change> = {
  merge: (before, document) => {
    refuseDollars(document);
    return { ...before, ...document };
  },
  replace: (_before, document) => {
    refuseDollars(document);
    return document;
  },
  keepExisting: (before) => before,
  fail: ({ _id }) => {
    const details = { keyPattern: { _id: 1 }, keyValue: { _id } };
    throw new CommandError(11000, '$merge found a matching document in the target collection', details);
  },
};

interface MergeOptions {
  into: unknown;
  fields: string[];
  whenMatched: unknown;
  add: (typeof WHEN_NOT_MATCHED)[string];
  variables: unknown;
}

/** What is null is not there: drivers send it for `undefined`. */
function mergeOptions(operand: unknown): MergeOptions {
  const entries = Object.entries(isDocument(operand) ? operand : { into: operand });
  const given: Document = Object.fromEntries(entries.filter(([, value]) => value !== null));
  const { into, on, whenMatched = 'merge', whenNotMatched = 'insert', let: variables, ...others } = given;
  refuseOthers('$merge', 40415, others);
  const isPipeline = Array.isArray(whenMatched);
  if (variables !== undefined && !isPipeline) {
    throw new CommandError(51199, "Cannot use 'let' variables with 'whenMatched' other than a pipeline");
  }
  const add = own(WHEN_NOT_MATCHED, String(whenNotMatched)) as MergeOptions['add'] | undefined;
  if (!add || !(isPipeline || Object.hasOwn(WHEN_MATCHED, String(whenMatched)))) {
    throw new CommandError(2, '$merge has an unknown mode in whenMatched or whenNotMatched');
  }
  if (['keepExisting', 'fail'].includes(String(whenMatched)) && whenNotMatched !== 'insert') {
    throw new CommandError(51181, `$merge does not combine whenMatched: ${whenMatched} with ${whenNotMatched}`);
  }
  return { into, fields: joinFields(on), whenMatched, add, variables };
}

function merge(context: CommandContext, operand: unknown, documents: Document[]): void {
  const { into, fields, whenMatched, add, variables } = mergeOptions(operand);
  const [database, name] = target(context, into);
  const { catalogue } = context.engine;
  const known = catalogue.find(`${database}.${name}`);
  const source = typeof context.command.aggregate === 'string' ? context.collection() : undefined;
  // Of the pipeline, not of the target; its hint is for what is read.
  const query = { ...context.query(source, ''), hint: undefined, limit: 1 };
  const { fold } = query;
  const change = Array.isArray(whenMatched)
    ? changeByPipeline(whenMatched, variables, { variables: context.variables(), fold })
    : (WHEN_MATCHED[String(whenMatched)] as Change);
  checkJoin(known, fields, fold);
  const collection = known ?? catalogue.create(context.view, database, name);
  for (const document of documents) {
    const filter = { $and: fields.map((field) => ({ [field]: { $eq: joinValue(document, field) } })) };
    const isNew = fields.includes('_id') && !('_id' in document);
    const [found] = isNew ? [] : findRecords(context.view, collection, { ...query, filter });
    if (found) replaceDocument(context, collection, found, (before) => keepId(before, change(before, document)));
    else add(context, collection, document);
  }
}

/** By `$$new`, the document that is merged, and by variables made of it. */
function changeByPipeline(pipeline: unknown[], given: unknown, scope: Scope): Change {
  const { new: merged = '$$ROOT', ...others } = isDocument(given) ? given : {};
  if (given !== undefined && !isDocument(given)) throw new CommandError(14, "'let' of $merge must be an object");
  if (merged !== '$$ROOT')
    throw new CommandError(51273, "'let' may not define a value for the reserved 'new' variable");
  checkUpdatePipeline(pipeline);
  const bound = checkedVariables(promote({ ...others, new: merged }));
  return (before, document) => {
    const variables = { ...scope.variables, ...(evaluate(bound, document, scope) as Document) };
    return runUpdatePipeline(before, pipeline, { ...scope, variables });
  };
}

function joinFields(on: unknown = '_id'): string[] {
  if (typeof on !== 'string' && !Array.isArray(on)) {
    throw new CommandError(51186, "$merge 'on' field must be either a string or an array of strings");
  }
  const fields: unknown[] = [on].flat();
  if (fields.length === 0) throw new CommandError(51187, "$merge 'on' must contain at least one field");
  if (fields.every((field) => typeof field === 'string')) return fields;
  throw new CommandError(51134, "$merge 'on' array elements must be strings");
}

/** Two documents with the same values there would both be the one that is meant. */
function checkJoin(collection: Collection | undefined, fields: string[], fold: Fold | undefined): void {
  if (equal(fields, ['_id'])) return;
  const wanted = fields.toSorted();
  const isUnique = collection?.indexes.some(
    (index) =>
      index.isUnique &&
      !index.partialFilter &&
      index.fold === fold &&
      equal(index.fields.map(({ path }) => path).toSorted(), wanted),
  );
  if (isUnique) return;
  throw new CommandError(51183, 'Cannot find index to verify that join fields will be unique');
}

function joinValue(document: Document, field: string): unknown {
  const value = fieldAt(document, field.split('.'));
  if (Array.isArray(value)) throw new CommandError(51185, "$merge write error: 'on' field must not be an array");
  if ((value !== undefined && value !== null) || field === '_id') return value;
  throw new CommandError(51132, "$merge write error: 'on' field must not be missing or null");
}
