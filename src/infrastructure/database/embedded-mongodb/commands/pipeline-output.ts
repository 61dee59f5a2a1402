import { CommandError, refuseOthers, unsupported } from '../command-error.js';
import type { Collection } from '../engine/indexes.js';
import { findRecords, matchingRecords } from '../engine/find.js';
import { removeRecord, replaceRecord } from '../engine/records.js';
import { plainScope } from '../expressions/expression.js';
import { keepId, refuseDollars } from '../update/update.js';
import { decodeOwn } from '../values/decode.js';
import { isDocument, own, type Document } from '../values/document.js';
import type { CommandContext } from './command-context.js';
import { insertDocument } from './write-commands.js';

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
  const collection = target(context, $out);
  const before = matchingRecords(context.view, collection, { ...plainScope(), filter: {} });
  for (const record of before) removeRecord(context.view, collection, record);
  for (const document of documents) insertDocument(context, collection, document);
}

/** The collection to write to, which is created if it does not exist. */
function target({ engine: { catalogue }, view, database }: CommandContext, value: unknown): Collection {
  const { coll, db = database, ...others } = isDocument(value) ? value : { coll: value };
  if (typeof coll !== 'string' || typeof db !== 'string' || db === '' || Object.keys(others).length > 0) {
    throw new CommandError(16990, 'The output collection must be a string or {db, coll}');
  }
  return catalogue.find(`${db}.${coll}`) ?? catalogue.create(view, db, coll);
}

/** `whenMatched` of $merge: the new version of a document that has the `_id` of a merged one. */
const WHEN_MATCHED: Record<string, (before: Document, merged: Document) => Document> = {
  merge: (before, merged) => ({ ...before, ...merged }),
  replace: (_before, merged) => merged,
  keepExisting: (before) => before,
  fail: ({ _id }) => {
    const details = { keyPattern: { _id: 1 }, keyValue: { _id } };
    throw new CommandError(11000, '$merge found a matching document in the target collection', details);
  },
};

const WHEN_NOT_MATCHED: unknown[] = ['insert', 'discard', 'fail'];

function merge(context: CommandContext, operand: unknown, documents: Document[]): void {
  const given = isDocument(operand) ? operand : { into: operand };
  const { into, on = '_id', whenMatched = 'merge', whenNotMatched = 'insert', let: variables, ...others } = given;
  const change = typeof whenMatched === 'string' && own(WHEN_MATCHED, whenMatched);
  refuseOthers('$merge', 40415, others);
  const isById = [on].flat().join() === '_id';
  if (!change || !isById || variables !== undefined || !WHEN_NOT_MATCHED.includes(whenNotMatched)) {
    throw unsupported('$merge with other than into, and a mode in whenMatched,', 2);
  }
  const collection = target(context, into);
  for (const document of documents) {
    const query = { ...plainScope(), filter: { _id: { $eq: document._id } } };
    const [found] = '_id' in document ? findRecords(context.view, collection, query) : [];
    if (!found && whenNotMatched === 'insert') insertDocument(context, collection, document);
    if (!found && whenNotMatched === 'fail') {
      throw new CommandError(13113, '$merge could not find a matching document in the target collection');
    }
    if (!found) continue;
    refuseDollars(document);
    const { document: before } = found;
    replaceRecord(context.view, collection, found, keepId(before, change(before, document)));
  }
}
