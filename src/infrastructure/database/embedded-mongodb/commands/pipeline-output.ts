import { CommandError, refuseOthers, unsupported } from '../command-error.js';
import type { Collection } from '../engine/indexes.js';
import { findRecords } from '../engine/find.js';
import { plainScope } from '../expressions/expression.js';
import { keepId, refuseDollars } from '../update/update.js';
import { decodeOwn } from '../values/decode.js';
import { isDocument, type Document } from '../values/document.js';
import type { CommandContext } from './command-context.js';
import { insertDocument, replaceDocument } from './write-commands.js';

/** Whether a pipeline ends in $out or $merge, and therefore has to run alone among writers. */
export function writesOutput(command: Document): boolean {
  return isOutput([command.pipeline].flat().at(-1));
}

export function isOutput(stage: unknown): boolean {
  return isDocument(stage) && ('$out' in stage || '$merge' in stage);
}

/** Writes the results of a pipeline as its last stage, $out or $merge, says. */
export function writeOutput(context: CommandContext, results: Buffer[], { $out, $merge }: Document): void {
  const documents = results.map(decodeOwn);
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

/** Empties the collection, and keeps its indexes. */
function emptied({ engine: { catalogue }, view }: CommandContext, database: string, name: string): Collection {
  const before = catalogue.find(`${database}.${name}`);
  if (before) catalogue.drop(view, before);
  const after = catalogue.create(view, database, name, before?.options);
  const indexes = before?.indexes.slice(1).map(({ specification }) => specification) ?? [];
  return catalogue.createIndexes(view, after, indexes);
}

/** `whenMatched` of $merge: the new version of a document that has the `_id` of a merged one. */
const WHEN_MATCHED: ReadonlyMap<unknown, (before: Document, merged: Document) => Document> = new Map([
  ['merge', (before: Document, merged: Document) => ({ ...before, ...merged })],
  ['replace', (_before: Document, merged: Document) => merged],
  ['keepExisting', (before: Document) => before],
  [
    'fail',
    ({ _id }: Document) => {
      const details = { keyPattern: { _id: 1 }, keyValue: { _id } };
      throw new CommandError(11000, '$merge found a matching document in the target collection', details);
    },
  ],
]);

const WHEN_NOT_MATCHED: unknown[] = ['insert', 'discard', 'fail'];

function merge(context: CommandContext, operand: unknown, documents: Document[]): void {
  const given = isDocument(operand) ? operand : { into: operand };
  const { into, on = '_id', whenMatched = 'merge', whenNotMatched = 'insert', let: variables, ...others } = given;
  const change = WHEN_MATCHED.get(whenMatched);
  refuseOthers('$merge', 40415, others);
  if (
    !change ||
    variables !== undefined ||
    [on].flat().join() !== '_id' ||
    !WHEN_NOT_MATCHED.includes(whenNotMatched)
  ) {
    throw unsupported('$merge with other than into, and a mode in whenMatched,', 2);
  }
  const [database, name] = target(context, into);
  const { catalogue } = context.engine;
  const collection = catalogue.find(`${database}.${name}`) ?? catalogue.create(context.view, database, name);
  for (const document of documents) {
    const query = { ...plainScope(), filter: { _id: { $eq: document._id } } };
    const [found] = '_id' in document ? findRecords(context.view, collection, query) : [];
    if (!found && whenNotMatched === 'insert') insertDocument(context, collection, document);
    if (!found && whenNotMatched === 'fail') {
      throw new CommandError(13113, '$merge could not find a matching document in the target collection');
    }
    if (!found) continue;
    refuseDollars(document);
    replaceDocument(context, collection, found, (before) => keepId(before, change(before, document)));
  }
}
