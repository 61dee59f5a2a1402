import { Long } from 'bson';
import { CommandError, unsupported } from '../command-error.js';
import { countRecords, findRecords, matchingRecords, type Query } from '../engine/find.js';
import { leaves } from '../query/leaves.js';
import { matchedIndex } from '../query/matched-index.js';
import { compileProjection, type ProjectionOptions } from '../query/projection.js';
import { toBytes, type Document } from '../values/document.js';
import { encode } from '../values/order.js';
import { cursorReply } from '../wire/cursor-reply.js';
import type { CommandContext, CommandTable } from './command-context.js';

export const readCommands: CommandTable = {
  find: { kind: 'read', run: find },
  getMore: { kind: 'read', run: getMore },
  killCursors: { kind: 'control', run: killCursors },
  count: { kind: 'read', run: count },
  distinct: { kind: 'read', run: distinct },
};

const REFUSED_FIND_OPTIONS = ['tailable', 'awaitData', 'min', 'max', 'returnKey', 'showRecordId', 'oplogReplay'];

function find(context: CommandContext): Buffer {
  const { command } = context;
  for (const option of REFUSED_FIND_OPTIONS) {
    const value = command[option];
    if (value !== undefined && value !== false) throw unsupported(`The find option ${option}`, 2);
  }
  const collection = context.collection();
  const limit = context.integer('limit') ?? 0;
  const skip = context.integer('skip') ?? 0;
  if (skip < 0) throw new CommandError(51024, `BSON field 'skip' value must be >= 0, actual value '${skip}'`);
  const query = context.query(collection, command, 'filter');
  const projection = context.documentField('projection') ?? {};
  const project = compileProjection(projection, projectionOptions(query));
  const sort = context.documentField('sort');
  const records = findRecords(context.view, collection, { ...query, sort, skip, limit: Math.abs(limit) });
  const isWhole = Object.keys(projection).length === 0;
  const documents = records.map((record) => (isWhole ? record.bytes : toBytes(project(record.document))));
  return firstBatch(context, documents, context.integer('batchSize'), limit < 0 || context.flag('singleBatch'));
}

export function projectionOptions(query: Query): ProjectionOptions {
  return { ...query, matchedIndex: (document, path) => matchedIndex(query.filter, document, path, query) };
}

/** Answers with the first documents and keeps the others for getMore. */
export function firstBatch(
  context: CommandContext,
  documents: Buffer[],
  size: number | undefined,
  single = false,
  namespace = context.namespace,
): Buffer {
  const session = context.session?.session;
  return cursorReply('firstBatch', context.engine.cursors.first(namespace, documents, { size, single, session }));
}

function getMore(context: CommandContext): Buffer {
  const id = context.command['getMore'];
  if (!(id instanceof Long))
    throw new CommandError(14, "BSON field 'getMore.getMore' is the wrong type, expected type 'long'");
  const namespace = `${context.database}.${String(context.command['collection'])}`;
  return cursorReply('nextBatch', context.engine.cursors.next(id, namespace, context.integer('batchSize')));
}

function killCursors(context: CommandContext): Document {
  const ids = context.command['cursors'];
  const known = (Array.isArray(ids) ? ids : []).filter((id): id is Long => id instanceof Long);
  const cursorsKilled = known.filter((id) => context.engine.cursors.close(id));
  const cursorsNotFound = known.filter((id) => !cursorsKilled.includes(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
}

function count(context: CommandContext): Document {
  const collection = context.collection();
  const query = context.query(collection, context.command, 'query');
  const limit = Math.abs(context.integer('limit') ?? 0);
  const skip = context.integer('skip') ?? 0;
  return { n: countRecords(context.view, collection, { ...query, skip, limit }), ok: 1 };
}

function distinct(context: CommandContext): Document {
  const { key } = context.command;
  if (typeof key !== 'string')
    throw new CommandError(14, "BSON field 'distinct.key' is the wrong type, expected type 'string'");
  const collection = context.collection();
  const query = context.query(collection, context.command, 'query');
  const values = new Map<string, unknown>();
  for (const { document } of matchingRecords(context.view, collection, query)) {
    for (const leaf of leaves(document, key.split('.'))) {
      for (const value of Array.isArray(leaf) ? leaf : [leaf]) {
        const identity = encode(value, query.fold).toString('latin1');
        if (value !== undefined && !values.has(identity)) values.set(identity, value);
      }
    }
  }
  const inOrder = [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  return { values: inOrder, ok: 1 };
}
