import { compilePipeline } from '../aggregation/pipeline.js';
import type { PipelineScope } from '../aggregation/stage.js';
import { CommandError } from '../command-error.js';
import { accessTo, countRecords, findRecords, matchingRecords, type Query } from '../engine/find.js';
import type { Scope } from '../expressions/expression.js';
import { isDocument, toBytes, type Document } from '../values/document.js';
import { toInteger } from '../values/numbers.js';
import type { CommandContext } from './command-context.js';
import { isOutput, writeOutput, writesOutput } from './pipeline-output.js';
import { firstBatch } from './read-commands.js';

export function aggregate(context: CommandContext): Buffer {
  const pipeline = context.documentsField('pipeline');
  const misplaced = pipeline.slice(0, -1).find(isOutput);
  if (misplaced)
    throw new CommandError(40601, `${Object.keys(misplaced)[0]} can only be the final stage in the pipeline`);
  const cursor = context.documentField('cursor');
  if (!cursor) throw new CommandError(9, "The 'cursor' option is required, except for aggregate with explain");
  const size = context.amount('batchSize', cursor);
  const namespace = hasCollection(context) ? context.namespace : `${context.database}.$cmd.aggregate`;
  if (!writesOutput(context.command)) return firstBatch(context, results(context, pipeline), { size, namespace });
  if (context.documentField('readConcern')?.level === 'linearizable') {
    throw new CommandError(72, '$out and $merge cannot be used with a linearizable read concern');
  }
  if (context.transaction) throw new CommandError(263, '$out and $merge cannot be used in a transaction');
  writeOutput(context, results(context, pipeline.slice(0, -1)), pipeline.at(-1) as Document);
  return firstBatch(context, [], { namespace });
}

function hasCollection({ command }: CommandContext): boolean {
  return typeof command.aggregate === 'string';
}

function results(context: CommandContext, pipeline: Document[]): Buffer[] {
  const { view } = context;
  const collection = hasCollection(context) ? context.collection() : undefined;
  const head = leadingQuery(pipeline);
  const query = { ...context.query(collection, ''), ...head.query };
  const { variables, fold } = query;
  const documentsOf = otherDocuments(context, { variables, fold });
  const scope: PipelineScope = { variables, fold, sessions: context.engine.sessions.lastUses, documentsOf };
  const rest = pipeline.slice(head.length);
  const run = compilePipeline(rest, scope, head.length);
  const first = pipeline[0] ?? {};
  if (('$documents' in first || '$listLocalSessions' in first) === hasCollection(context)) {
    throw new CommandError(73, '$documents and $listLocalSessions begin a pipeline without a collection, they alone');
  }
  const counted = onlyCount(rest);
  if (counted) {
    const n = countRecords(view, collection, query);
    return n > 0 ? [toBytes({ ...counted, n })] : [];
  }
  const records = findRecords(view, collection, query);
  if (rest.length === 0) return records.map(({ bytes }) => bytes);
  return run(records.map(({ document }) => document)).map(toBytes);
}

/**
 * Remembers joined documents, since a joined pipeline asks for them anew for each document. A whole collection is read once; results
 * of indexes are remembered until they are as many as the collection has.
 */
function otherDocuments(context: CommandContext, scope: Scope): PipelineScope['documentsOf'] {
  const whole = new Map<string, Document[]>();
  const found = new Map<string, number>();
  return (name, filter) => {
    const collection = context.collection(`${context.database}.${name}`);
    const known = whole.get(name);
    if (known || !collection) return known ?? [];
    const all = { ...scope, filter: {} };
    const narrowed = filter && { ...scope, filter };
    const before = found.get(name) ?? 0;
    const isByIndex =
      narrowed &&
      before <= countRecords(context.view, collection, all) &&
      accessTo(context.view, collection, narrowed).plan !== undefined;
    const records = [...matchingRecords(context.view, collection, isByIndex ? narrowed : all)];
    found.set(name, before + records.length);
    // The index has an order of its own; back to that of insertion.
    const documents = records.sort((a, b) => a.id - b.id).map(({ document }) => document);
    if (!isByIndex) whole.set(name, documents);
    return documents;
  };
}

/** The _id in the pipeline of countDocuments(), {$group: {_id: 1, n: {$sum: 1}}}, for which no document has to be decoded. */
function onlyCount([stage, another]: Document[]): { _id: unknown } | undefined {
  const group = stage?.$group;
  if (another || !isDocument(group)) return undefined;
  const isCount = JSON.stringify({ ...group, _id: 1 }) === '{"_id":1,"n":{"$sum":1}}';
  return isCount && (group._id === 1 || group._id === null) ? { _id: group._id } : undefined;
}

/** Leading stages that a find can execute, with indexes, in the order in which a find executes them. */
export function leadingQuery(pipeline: Document[]) {
  const rest = [...pipeline];
  const take = (name: string): unknown => {
    const [stage] = rest;
    const isNext = stage && name in stage && Object.keys(stage).length === 1;
    return isNext ? rest.shift()?.[name] : undefined;
  };
  const filters: unknown[] = [];
  for (let filter = take('$match'); filter !== undefined; filter = take('$match')) filters.push(filter);
  if (!filters.every(isDocument)) throw new CommandError(15959, 'the match filter must be an expression in an object');
  const query: Pick<Query, 'filter' | 'sort' | 'skip' | 'limit'> = {
    filter: filters.length > 1 ? { $and: filters } : (filters[0] ?? {}),
  };
  // A sort without fields is an error that the stage itself reports.
  const isSort = isDocument(rest[0]?.$sort) && Object.keys(rest[0].$sort).length > 0;
  if (isSort) query.sort = take('$sort') as Document;
  const [skip, limit] = [take('$skip'), take('$limit')];
  if (skip !== undefined) query.skip = toInteger(skip, '$skip');
  if (limit !== undefined) query.limit = toInteger(limit, '$limit');
  if ((query.skip ?? 0) < 0) throw new CommandError(5107200, 'the argument of $skip must not be negative');
  if ((query.limit ?? 1) <= 0) throw new CommandError(15958, 'the limit must be positive');
  return { length: pipeline.length - rest.length, query };
}
