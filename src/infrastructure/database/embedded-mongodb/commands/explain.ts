import { CommandError } from '../command-error.js';
import { accessTo, findRecords, type Query } from '../engine/find.js';
import { isDocumentKey } from '../storage/keys.js';
import type { Entry, View } from '../storage/view.js';
import { isDocument, type Document } from '../values/document.js';
import { aggregate, leadingQuery } from './aggregate.js';
import type { CommandContext, Reply } from './command-context.js';
import { refuseUnknownFields } from './known-fields.js';

const VERBOSITIES: unknown[] = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/**
 * Tells which index a find, count, distinct, aggregation, update or delete uses and, unless the verbosity is `queryPlanner`, how much
 * it reads. It writes nothing. Of an aggregation only the stages that select documents are explained.
 */
export function explain(context: CommandContext): Document {
  const command = context.documentField('explain') ?? {};
  const [name = ''] = Object.keys(command);
  const { verbosity = 'allPlansExecution' } = context.command;
  if (!VERBOSITIES.includes(verbosity))
    throw new CommandError(2, `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
  refuseUnknownFields(name, command);
  const inner = context.of({ ...command, $db: context.database }, name);
  const query = queryOf(inner);
  const winningPlan = planOf(inner, query);
  const queryPlanner = { namespace: inner.namespace, parsedQuery: query.filter, winningPlan, rejectedPlans: [] };
  const executionStats = verbosity === 'queryPlanner' ? undefined : statistics(inner, query);
  return { explainVersion: '1', queryPlanner, executionStats, command, ok: 1 };
}

/** Runs an aggregation, or explains it where it says `explain: true`. */
export function aggregateOrExplain(context: CommandContext): Reply {
  if (!context.flag('explain')) return aggregate(context);
  const { explain: _, ...command } = context.command;
  return explain(context.of({ explain: command, verbosity: 'queryPlanner', $db: context.database }, 'explain'));
}

function queryOf(context: CommandContext): Query {
  const { command, name } = context;
  const collection = context.collection();
  if (name === 'aggregate') {
    const stages = [command.pipeline].flat().filter(isDocument);
    return { ...context.query(collection, ''), ...leadingQuery(stages).query };
  }
  const [statement = command] = [command.updates ?? command.deletes ?? []].flat() as Document[];
  const filterField = ['filter', 'query', 'q'].find((field) => field in statement) ?? 'filter';
  const isForOne = 'multi' in statement ? statement.multi !== true : name === 'update' || name === 'findAndModify';
  return {
    ...context.query(collection, filterField, statement),
    sort: context.documentField('sort'),
    skip: context.amount('skip'),
    limit: isForOne ? 1 : Math.abs(Number(command.limit ?? statement.limit ?? 0)),
  };
}

function planOf(context: CommandContext, query: Query): Document {
  const collection = context.collection();
  const access = collection && accessTo(context.view, collection, query);
  const inputStages = access?.plan?.indexes.map(({ name, specification: { key } }) => {
    return { stage: 'IXSCAN', indexName: name, keyPattern: key };
  });
  const inputStage = inputStages?.length === 1 ? inputStages[0] : { stage: 'OR', inputStages };
  const scan = inputStages ? { stage: 'FETCH', inputStage } : { stage: 'COLLSCAN' };
  return access?.needsSort ? { stage: 'SORT', sortPattern: query.sort, inputStage: scan } : scan;
}

function statistics(context: CommandContext, query: Query): Document {
  const view = new CountingView(context.view);
  const { length } = findRecords(view, context.collection(), query);
  return {
    executionSuccess: true,
    nReturned: length,
    totalKeysExamined: view.indexEntries,
    totalDocsExamined: view.documents,
  };
}

/** A view that counts the entries read through it. */
export class CountingView implements View {
  indexEntries = 0;
  documents = 0;

  constructor(private readonly base: View) {}

  get(key: Buffer): Buffer | undefined {
    if (isDocumentKey(key)) this.documents++;
    return this.base.get(key);
  }

  *range(start: Buffer, end: Buffer, reverse?: boolean): Iterable<Entry> {
    for (const entry of this.base.range(start, end, reverse)) {
      if (isDocumentKey(entry.key)) this.documents++;
      else this.indexEntries++;
      yield entry;
    }
  }
}
