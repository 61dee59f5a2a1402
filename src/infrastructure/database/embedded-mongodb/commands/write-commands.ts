import { ObjectId } from 'bson';
import { CommandError } from '../command-error.js';
import type { Collection } from '../engine/indexes.js';
import { findRecords } from '../engine/find.js';
import { insertRecord, removeRecord, replaceRecord } from '../engine/records.js';
import { isNumber } from '../values/bson-types.js';
import { isTruthy } from '../values/numbers.js';
import {
  checkUpsertFilter,
  compileUpdate,
  isReplacement,
  upsertDocument,
  type UpdateStatement,
} from '../update/update.js';
import { toBytes, type Document } from '../values/document.js';
import type { CommandContext } from './command-context.js';
import { refuseUnknownFields } from './known-fields.js';
import { projectionOf } from './read-commands.js';

/** The largest number of statements in one command. */
export const MAX_BATCH = 100_000;

export function insert(context: CommandContext): Document {
  const collection = context.createdCollection();
  let n = 0;
  const writeErrors = eachStatement(context, 'documents', (document) => {
    insertDocument(context, collection, document);
    n++;
  });
  return { n, ...writeErrors, ok: 1 };
}

export function update(context: CommandContext): Document {
  const counts = { n: 0, nModified: 0 };
  const upserted: Document[] = [];
  const writeErrors = eachStatement(context, 'updates', (statement, index) => {
    const { changes, inserted } = change(context, statement, 'q', 'u');
    counts.n += inserted ? 1 : changes.length;
    counts.nModified += changes.filter(({ isModified }) => isModified).length;
    if (inserted) upserted.push({ index, _id: inserted._id });
  });
  return { ...counts, ...(upserted.length > 0 && { upserted }), ...writeErrors, ok: 1 };
}

export function remove(context: CommandContext): Document {
  const collection = context.writableCollection();
  let n = 0;
  const writeErrors = eachStatement(context, 'deletes', (statement) => {
    const limit = limitOf(statement);
    const found = findRecords(context.view, collection, { ...context.query(collection, 'q', statement), limit });
    for (const record of found) removeRecord(context.view, collection as Collection, record);
    n += found.length;
  });
  return { n, ...writeErrors, ok: 1 };
}

function limitOf({ limit }: Document): number {
  if (isNumber(limit) && [0, 1].includes(Number(limit))) return Number(limit);
  throw new CommandError(9, `The limit field in delete objects must be 0 or 1. Got ${String(limit)}`);
}

export function findAndModify(context: CommandContext): Document {
  const { command } = context;
  const isNew = context.flag('new');
  if (context.flag('remove') === (command.update !== undefined)) {
    throw new CommandError(9, 'Either an update or remove=true must be specified');
  }
  if (context.flag('remove')) return findAndRemove(context);
  if (isNew && Object.keys(context.documentField('fields') ?? {}).some((path) => path.endsWith('.$'))) {
    throw new CommandError(2, 'cannot use a positional projection and return the new document');
  }
  const { query, changes, inserted } = change(context, command, 'query', 'update');
  const [changed] = changes;
  const document = isNew ? (inserted ?? changed?.document) : changed?.before;
  const project = projectionOf(context, 'fields', query);
  const lastErrorObject = {
    n: changed || inserted ? 1 : 0,
    updatedExisting: changed !== undefined,
    upserted: inserted?._id,
  };
  return { lastErrorObject, value: document && project ? project(document) : (document ?? null), ok: 1 };
}

function findAndRemove(context: CommandContext): Document {
  if (context.flag('upsert') || context.flag('new')) throw new CommandError(9, 'remove allows neither upsert nor new');
  const collection = context.writableCollection();
  const query = context.query(collection, 'query');
  const project = projectionOf(context, 'fields', query);
  const sort = context.documentField('sort');
  const [record] = findRecords(context.view, collection, { ...query, sort, limit: 1 });
  if (!record) return { lastErrorObject: { n: 0 }, value: null, ok: 1 };
  removeRecord(context.view, collection as Collection, record);
  return { lastErrorObject: { n: 1 }, value: project ? project(record.document) : record.document, ok: 1 };
}

/** A reply has 16 MB: of very many errors, those beyond the first megabyte come without a text, and later ones without details. */
const MOST_TEXT_BYTES = 2 ** 20;
const MOST_DETAIL_BYTES = 2 ** 23;

/** Runs the statements of a command; within a transaction the first error ends the transaction. */
function eachStatement(
  context: CommandContext,
  field: string,
  run: (statement: Document, index: number) => void,
): { writeErrors?: Document[] } {
  const statements = context.documentsField(field);
  const { length } = statements;
  if (length === 0 || length > MAX_BATCH) {
    throw new CommandError(9, `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${length} operations.`);
  }
  const writeErrors: Document[] = [];
  let bytes = 0;
  for (const [index, statement] of statements.entries()) {
    try {
      refuseUnknownFields(`${context.name}.${field}`, statement);
      run(statement, index);
    } catch (error) {
      const isFatal = context.transaction && error instanceof CommandError && error.isTransient;
      if (!(error instanceof CommandError) || isFatal) throw error;
      const errmsg = bytes > MOST_TEXT_BYTES ? '' : error.message;
      const details = bytes > MOST_DETAIL_BYTES ? {} : error.details;
      writeErrors.push({ index, code: error.code, errmsg, ...details });
      bytes += errmsg.length + toBytes(details).length;
      if (context.transaction && context.session) context.engine.sessions.abort(context.session.session);
      if (context.transaction || context.command.ordered !== false) break;
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}

/** The part that update statements and findAndModify have in common. @returns `inserted` by an upsert alone */
function change(context: CommandContext, statement: Document, filterField: string, updateField: string) {
  const isMulti = statement.multi === true;
  if (isMulti && statement.sort) throw new CommandError(9, 'Cannot specify sort with multi=true');
  const isUpsert = isTruthy(statement.upsert);
  const collection = isUpsert ? context.createdCollection() : context.writableCollection();
  const query = context.query(collection, filterField, statement);
  const wanted: UpdateStatement = {
    filter: query.filter,
    update: statement[updateField],
    arrayFilters: statement.arrayFilters,
    isMulti,
    now: context.engine.now(),
  };
  const updated = compileUpdate(wanted, query);
  // MongoDB compares a replacement before it adds the _id: one without is never the same.
  const isAlwaysModifying = isReplacement(wanted.update) && !('_id' in wanted.update);
  const order = { sort: context.documentField('sort', statement), limit: isMulti ? 0 : 1 };
  // All records are found before the first is changed: otherwise a changed one could be found again.
  const records = findRecords(context.view, collection, { ...query, ...order });
  if (isUpsert) checkUpsertFilter(query.filter);
  const changes = records.map((record) => {
    const document = updated(record.document);
    const isOther = replaceRecord(context.view, collection as Collection, record, document);
    return { before: record.document, document, isModified: isOther || isAlwaysModifying };
  });
  if (records.length > 0 || !isUpsert) return { query, changes };
  const inserted = insertDocument(context, collection as Collection, upsertDocument(wanted, updated));
  return { query, changes, inserted };
}

export function insertDocument(context: CommandContext, collection: Collection, document: Document): Document {
  const complete = '_id' in document ? document : { _id: new ObjectId(), ...document };
  insertRecord(context.view, collection, context.engine.catalogue.nextRecordId(), complete);
  return complete;
}
