import { CommandError } from '../command-error.js';
import type { Document } from '../values/document.js';
import { REFUSED_FIND_OPTIONS } from './read-commands.js';
import { REFUSED_OPTIONS } from './schema-commands.js';

/** Fields of every command: those of the driver begin with a dollar; the others are for sessions, time limits and concerns. */
const COMMON =
  /^(?:\$.*|lsid|txnNumber|startTransaction|autocommit|stmtIds?|writeConcern|readConcern|comment|maxTimeMS|rawData|apiVersion|apiStrict|apiDeprecationErrors)$/;

const FIND_AND_MODIFY =
  'query sort fields update remove new upsert arrayFilters hint collation let bypassDocumentValidation bypassEmptyTsReplacement';

/** The fields that each command, or a statement in it, has in MongoDB; some have no effect here. */
const FIELDS: Record<string, string> = {
  find: 'filter projection sort hint collation let skip limit batchSize singleBatch allowDiskUse noCursorTimeout allowPartialResults',
  getMore: 'collection batchSize',
  killCursors: 'cursors',
  count: 'query limit skip hint collation fields',
  distinct: 'key query collation hint',
  aggregate: 'pipeline cursor explain allowDiskUse bypassDocumentValidation hint collation let',
  explain: 'verbosity',
  insert: 'documents ordered bypassDocumentValidation bypassEmptyTsReplacement',
  update: 'updates ordered let bypassDocumentValidation bypassEmptyTsReplacement',
  'update.updates': 'q u c arrayFilters multi upsert hint collation sort',
  delete: 'deletes ordered let',
  'delete.deletes': 'q limit hint collation',
  findAndModify: FIND_AND_MODIFY,
  findandmodify: FIND_AND_MODIFY,
  bulkWrite: 'ops nsInfo ordered errorsOnly cursor let bypassDocumentValidation bypassEmptyTsReplacement',
  create: 'collation size max storageEngine indexOptionDefaults validationLevel validationAction pipeline idIndex',
  drop: '',
  dropDatabase: '',
  createIndexes: 'indexes commitQuorum ignoreUnknownIndexOptions',
  dropIndexes: 'index',
  listCollections: 'filter nameOnly cursor authorizedCollections',
  listDatabases: 'filter nameOnly authorizedDatabases',
  listIndexes: 'cursor',
};

/** Fields that are known and refused by name. */
const REFUSED: Record<string, string[]> = { find: REFUSED_FIND_OPTIONS, create: Object.keys(REFUSED_OPTIONS) };

const KNOWN = new Map(
  Object.entries(FIELDS).map(([name, fields]) => [
    name,
    new Set([name, ...fields.split(' '), ...(REFUSED[name] ?? [])]),
  ]),
);

/**
 * Refuses unknown fields: a misspelt one would have no effect, and be noticed only on MongoDB.
 * @param name of the command, or of the list of statements in it
 * @throws CommandError 40415
 */
export function refuseUnknownFields(name: string, from: Document): void {
  const known = KNOWN.get(name);
  const unknown = known && Object.keys(from).find((field) => !known.has(field) && !COMMON.test(field));
  if (unknown) throw new CommandError(40415, `BSON field '${name}.${unknown}' is an unknown field.`);
}
