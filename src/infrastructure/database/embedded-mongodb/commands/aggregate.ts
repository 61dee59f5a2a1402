import { evaluateVariables, promote } from '../aggregation/expressions.js';
import { runStages } from '../aggregation/stages.js';
import { createHash } from 'node:crypto';
import { Binary, UUID } from 'bson';
import { CommandError, unsupported } from '../command-error.js';
import { countRecords, findRecords, matchingRecords } from '../engine/find.js';
import { decodePromoted } from '../values/decode.js';
import type { Fold } from '../values/collation.js';
import { isDocument, toBytes, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import { writeOutput } from './aggregate-output.js';
import type { CommandContext, CommandTable } from './command-context.js';
import { firstBatch } from './read-commands.js';

export const aggregateCommand: CommandTable = {
  aggregate: { kind: 'read', run: aggregate },
};

/** True for a pipeline that ends in $out or $merge and so has to run alone among writers. */
export function writesOutput(command: Document): boolean {
  const stages = command['pipeline'];
  const last: unknown = Array.isArray(stages) ? stages.at(-1) : undefined;
  return isDocument(last) && ('$out' in last || '$merge' in last);
}

export function aggregate(context: CommandContext): Buffer {
  if (context.flag('explain')) throw unsupported('The option explain of an aggregation');
  const pipeline = context.command['pipeline'];
  if (!Array.isArray(pipeline) || !pipeline.every(isDocument)) {
    throw new CommandError(14, "'pipeline' must be an array of objects");
  }
  for (const stage of pipeline) {
    const names = Object.keys(stage);
    if (names.length !== 1)
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
    if (['$out', '$merge'].includes(names[0] as string) && stage !== pipeline.at(-1)) {
      throw new CommandError(40601, `${names[0]} can only be the final stage in the pipeline`);
    }
  }
  const options = context.documentField('cursor') ?? {};
  const size = options['batchSize'] === undefined ? undefined : toInteger(options['batchSize'], 'batchSize');
  const namespace =
    typeof context.command['aggregate'] === 'string' ? context.namespace : `${context.database}.$cmd.aggregate`;
  if (!writesOutput(context.command)) return firstBatch(context, results(context, pipeline), size, false, namespace);
  if (context.documentField('readConcern')?.['level'] === 'linearizable') {
    throw new CommandError(72, '$out and $merge cannot be used with a linearizable read concern');
  }
  if (context.transaction) throw new CommandError(263, '$out and $merge cannot be used in a transaction');
  writeOutput(context, results(context, pipeline.slice(0, -1)), pipeline.at(-1) as Document);
  return firstBatch(context, [], size, false, namespace);
}

function results(context: CommandContext, pipeline: Document[]): Buffer[] {
  const hasCollection = typeof context.command['aggregate'] === 'string';
  if (!hasCollection && '$listLocalSessions' in (pipeline[0] ?? {})) {
    return made(context, localSessions(context), pipeline.slice(1));
  }
  const collection = hasCollection ? context.collection() : undefined;
  const head = leadingQuery(pipeline);
  const query = { ...context.query(collection, context.command, ''), ...head.query };
  const rest = pipeline.slice(head.length);
  const counted = onlyCount(rest);
  if (counted) {
    const n = countRecords(context.view, collection, query);
    return n > 0 ? [toBytes({ ...counted, n })] : [];
  }
  const found = findRecords(context.view, collection, query);
  if (rest.length === 0) return found.map(({ bytes }) => bytes);
  const documents = found.map(({ bytes }) => decodePromoted(bytes));
  return made(context, documents, rest, query.fold);
}

function made(context: CommandContext, documents: Document[], stages: Document[], fold?: Fold): Buffer[] {
  const variables = evaluateVariables(context.documentField('let'));
  const resolve = (name: string): Document[] => {
    const other = context.collection(`${context.database}.${name}`);
    const records = matchingRecords(context.view, other, { filter: {} });
    return [...records].map(({ bytes }) => decodePromoted(bytes));
  };
  return runStages(documents, promote(stages) as Document[], { variables, fold, resolve }).map(toBytes);
}

/** There are no users, whose hash stands beside the id of each session. */
function localSessions({ engine }: CommandContext): Document[] {
  const uid = new Binary(createHash('sha256').digest());
  return [...engine.sessions.all()].map(([id, lastUse]) => ({ _id: { id: new UUID(id), uid }, lastUse }));
}

/** The _id of what countDocuments() sends, which needs no look into any document: {$group: {_id: 1, n: {$sum: 1}}}. */
function onlyCount([stage, another]: Document[]): { _id: unknown } | undefined {
  const group = stage?.['$group'];
  if (another || !isDocument(group)) return undefined;
  const { _id, n, ...others } = group;
  const isCount = isDocument(n) && n['$sum'] === 1 && Object.keys(n).length === 1 && Object.keys(others).length === 0;
  return isCount && (_id === 1 || _id === null) ? { _id } : undefined;
}

interface LeadingQuery {
  length: number;
  query: { filter: Document; sort?: Document; skip?: number; limit?: number };
}

/** The stages a find can do, in the order in which a find does them: those use indexes and keep numeric types. */
export function leadingQuery(pipeline: Document[]): LeadingQuery {
  const filters: unknown[] = [];
  let length = 0;
  while (pipeline[length] && '$match' in (pipeline[length] as Document)) filters.push(pipeline[length++]?.['$match']);
  const query: LeadingQuery['query'] = { filter: filters.length === 1 ? (filters[0] as Document) : {} };
  if (filters.length > 1) query.filter = { $and: filters };
  if (!isDocument(query.filter)) throw new CommandError(15959, 'the match filter must be an expression in an object');
  const sort = pipeline[length]?.['$sort'];
  if (isDocument(sort) && Object.keys(sort).length > 0) {
    query.sort = sort;
    length++;
  }
  if (pipeline[length] && '$skip' in (pipeline[length] as Document)) {
    query.skip = toInteger(pipeline[length++]?.['$skip'], '$skip');
  }
  if (pipeline[length] && '$limit' in (pipeline[length] as Document)) {
    query.limit = toInteger(pipeline[length++]?.['$limit'], '$limit');
    if (query.limit <= 0) throw new CommandError(15958, 'the limit must be positive');
  }
  return { length, query };
}
