import { CommandError } from '../command-error.js';
import type { Collection } from '../engine/catalogue.js';
import { findRecords } from '../engine/find.js';
import { removeRecord } from '../engine/records.js';
import { compileProjection } from '../query/projection.js';
import type { Document } from '../values/document.js';
import type { CommandContext, CommandTable } from './command-context.js';
import { projectionOptions } from './read-commands.js';
import { compileStatement, isReplacement, replaceDocument, upsert } from './write-commands.js';

export const findAndModifyCommand: CommandTable = {
  findAndModify: { kind: 'write', run: findAndModify },
};

function findAndModify(context: CommandContext): Document {
  const { command } = context;
  const removes = context.flag('remove');
  const upserts = context.flag('upsert');
  if (removes === (command['update'] !== undefined) || (removes && (upserts || context.flag('new')))) {
    throw new CommandError(
      9,
      'Either an update or remove=true must be specified, and remove allows neither upsert nor new',
    );
  }
  const collection = upserts ? context.createdCollection() : context.writableCollection();
  const query = context.query(collection, command, 'query');
  const change = removes ? undefined : compileStatement(context, command, 'update', query, false);
  const fields = context.documentField('fields') ?? {};
  const project = compileProjection(fields, projectionOptions(query));
  const shown = (document: Document): Document => (Object.keys(fields).length > 0 ? project(document) : document);
  const sort = context.documentField('sort');
  const [record] = findRecords(context.view, collection, { ...query, sort, limit: 1 });
  if (!record) {
    if (!upserts || !change) return reply(null, removes ? { n: 0 } : { n: 0, updatedExisting: false });
    const document = upsert(context, collection as Collection, query, change, isReplacement(command['update']));
    const result = { n: 1, updatedExisting: false, upserted: document['_id'] };
    return reply(context.flag('new') ? shown(document) : null, result);
  }
  if (!change) {
    removeRecord(context.view, collection as Collection, record.id, record.document);
    return reply(shown(record.document), { n: 1 });
  }
  const { document } = replaceDocument(context, collection as Collection, record, change);
  return reply(shown(context.flag('new') ? document : record.document), { n: 1, updatedExisting: true });
}

function reply(value: Document | null, lastErrorObject: Document): Document {
  return { lastErrorObject, value, ok: 1 };
}
