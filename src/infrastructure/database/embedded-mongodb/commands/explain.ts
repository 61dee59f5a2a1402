import { accessTo, findRecords, type Query } from '../engine/find.js';
import { CountingView } from '../storage/counting-view.js';
import { isDocument, type Document } from '../values/document.js';
import { leadingQuery } from './aggregate.js';
import type { CommandContext, CommandTable } from './command-context.js';

export const explainCommand: CommandTable = {
  explain: { kind: 'control', run: explain },
};

/**
 * Which index a find, count, distinct, aggregation, update or delete uses; unless its verbosity is `queryPlanner`, also
 * how much it reads. Nothing is written. Of an aggregation it explains the stages that lead to the documents.
 */
function explain(context: CommandContext): Document {
  const explained = context.documentField('explain') ?? {};
  const name = Object.keys(explained)[0] ?? '';
  const inner = context.of({ ...explained, $db: context.database }, name);
  const query = queryOf(inner);
  const queryPlanner = { namespace: inner.namespace, parsedQuery: query.filter, winningPlan: planOf(inner, query) };
  const isPlanOnly = context.command['verbosity'] === 'queryPlanner';
  const executed = isPlanOnly ? {} : { executionStats: statistics(inner, query) };
  return {
    explainVersion: '1',
    queryPlanner: { ...queryPlanner, rejectedPlans: [] },
    ...executed,
    command: explained,
    ok: 1,
  };
}

function queryOf(context: CommandContext): Query {
  const { command, name } = context;
  const collection = context.collection();
  if (name === 'aggregate') {
    const stages = Array.isArray(command['pipeline']) ? command['pipeline'].filter(isDocument) : [];
    return { ...context.query(collection, command, ''), ...leadingQuery(stages).query };
  }
  const [statement = command] = [command['updates'] ?? command['deletes'] ?? []].flat() as Document[];
  const filterField = ['filter', 'query', 'q'].find((field) => field in statement) ?? 'filter';
  const isForOne = 'multi' in statement ? statement['multi'] !== true : name === 'update' || name === 'findAndModify';
  return {
    ...context.query(collection, statement, filterField),
    sort: context.documentField('sort'),
    skip: context.integer('skip'),
    limit: isForOne ? 1 : Math.abs(context.integer('limit') ?? Number(statement['limit'] ?? 0)),
  };
}

function planOf(context: CommandContext, query: Query): Document {
  const collection = context.collection();
  const { plan, needsSort } = collection
    ? accessTo(context.view, collection, query)
    : { plan: undefined, needsSort: false };
  const { name: indexName, specification } = plan?.index ?? { name: '', specification: {} as Document };
  const scan: Document = plan
    ? { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName, keyPattern: specification['key'] } }
    : { stage: 'COLLSCAN' };
  return needsSort ? { stage: 'SORT', sortPattern: query.sort, inputStage: scan } : scan;
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
