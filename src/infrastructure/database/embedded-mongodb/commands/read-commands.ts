import { Long } from 'bson';
import { CommandError, unsupported } from '../command-error.js';
import type { FirstBatch } from '../engine/cursors.js';
import { countRecords, findRecords, matchingRecords, type Query } from '../engine/find.js';
import { leaves } from '../values/leaves.js';
import { matchedIndex } from '../query/matched-index.js';
import { compileProjection, type Projection } from '../query/projection.js';
import { toBytes, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { identity } from '../values/order.js';
import { cursorReply } from '../wire/message.js';
import type { CommandContext } from './command-context.js';

export const REFUSED_FIND_OPTIONS = ['tailable', 'awaitData', 'min', 'max', 'returnKey', 'showRecordId', 'oplogReplay'];

export function find(context: CommandContext): Buffer {
  const refused = REFUSED_FIND_OPTIONS.find((option) => context.flag(option));
  if (refused) throw unsupported(`The find option ${refused}`, 2);
  const collection = context.collection();
  const [skip, limit] = [context.amount('skip'), context.amount('limit')];
  const query = context.query(collection, 'filter');
  const project = projectionOf(context, 'projection', query);
  const sort = context.documentField('sort');
  const records = findRecords(context.view, collection, { ...query, sort, skip, limit });
  const documents = records.map((record) => (project ? toBytes(project(record.document)) : record.bytes));
  return firstBatch(context, documents, {
    size: context.amount('batchSize'),
    single: context.flag('singleBatch'),
  });
}

/** The projection of a find; undefined to return documents as they are. */
export function projectionOf(context: CommandContext, field: string, query: Query): Projection | undefined {
  const projection = context.documentField(field) ?? {};
  const matched = (document: Document) => matchedIndex(query.filter, document, query);
  const project = compileProjection(projection, query, { matchedIndex: matched });
  return Object.keys(projection).length === 0 ? undefined : project;
}

/** Replies with the first documents, and keeps the others for getMore. */
export function firstBatch(
  context: CommandContext,
  documents: Buffer[],
  { namespace = context.namespace, size, single }: FirstBatch & { namespace?: string } = {},
): Buffer {
  const session = context.session?.session;
  return cursorReply('firstBatch', context.engine.cursors.first(namespace, documents, { size, single, session }));
}

export function getMore(context: CommandContext): Buffer {
  const { getMore: id, collection } = context.command;
  if (!(id instanceof Long)) throw new CommandError(14, "BSON field 'getMore.getMore' has to be of type 'long'");
  const namespace = `${context.database}.${String(collection)}`;
  return cursorReply('nextBatch', context.engine.cursors.next(id, namespace, context.amount('batchSize')));
}

export function killCursors(context: CommandContext): Document {
  const known = [context.command.cursors].flat().filter((id): id is Long => id instanceof Long);
  const cursorsKilled = known.filter((id) => context.engine.cursors.close(id));
  const cursorsNotFound = known.filter((id) => !cursorsKilled.includes(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
}

export function count(context: CommandContext): Document {
  const collection = context.collection();
  const limit = Math.abs(toInteger(context.command.limit ?? 0, 'limit'));
  const query = { ...context.query(collection, 'query'), skip: context.amount('skip'), limit };
  return { n: countRecords(context.view, collection, query), ok: 1 };
}

export function distinct(context: CommandContext): Buffer {
  const { key } = context.command;
  if (typeof key !== 'string') throw new CommandError(14, "BSON field 'distinct.key' has to be of type 'string'");
  const collection = context.collection();
  const query = context.query(collection, 'query');
  const values = new Map<string, unknown>();
  for (const { document } of matchingRecords(context.view, collection, query)) {
    for (const value of leaves(document, key.split('.')).flat()) {
      const name = identity(value, query.fold);
      if (value !== undefined && !values.has(name)) values.set(name, value);
    }
  }
  const inOrder = [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  return toBytes({ values: inOrder, ok: 1 });
}
