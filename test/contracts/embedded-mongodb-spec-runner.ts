import { EJSON, Long } from 'bson';
import mongoose from 'mongoose';

const { MongoClient } = mongoose.mongo;

type Any = any;
type Entities = Record<string, Any>;

const SERVER_VERSION = [8, 0, 0];

interface SpecCase {
  description: string;
  run(uri: string): Promise<void>;
}

/** The cases of one file of the drivers' unified test format that a server of our version and kind can be asked. */
export function casesOf(file: string): SpecCase[] {
  const spec = EJSON.parse(file, { relaxed: true }) as Any;
  const isAskable = (test: Any): boolean => {
    return !test.skipReason && applies(spec.runOnRequirements) && applies(test.runOnRequirements);
  };
  return spec.tests.filter(isAskable).map((test: Any) => ({
    description: test.description,
    run: (uri: string) => runCase(uri, spec, test),
  }));
}

function applies(requirements: Any[] | undefined): boolean {
  return (
    requirements?.some(
      ({ minServerVersion = '0', maxServerVersion = '999', topologies = ['replicaset'], serverless, auth, csfle }) =>
        compareVersion(minServerVersion) >= 0 &&
        compareVersion(maxServerVersion.replace('.99', '.999')) <= 0 &&
        topologies.includes('replicaset') &&
        serverless !== 'require' &&
        !auth &&
        !csfle,
    ) ?? true
  );
}

function compareVersion(version: string): number {
  const parts = version.split('.').map(Number);
  return SERVER_VERSION.map((part, i) => part - (parts[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

async function runCase(uri: string, spec: Any, test: Any): Promise<void> {
  const setup = await MongoClient.connect(uri);
  const entities: Entities = {};
  const events: Record<string, Any[]> = {};
  try {
    for (const { databaseName, collectionName, documents } of spec.initialData ?? []) {
      await setup.db(databaseName).dropCollection(collectionName);
      await setup.db(databaseName).createCollection(collectionName);
      if (documents.length > 0) await setup.db(databaseName).collection(collectionName).insertMany(documents);
    }
    for (const entity of spec.createEntities ?? []) await createEntity(uri, entity, entities, events);
    for (const operation of test.operations) await runOperation(operation, entities);
    for (const { client, events: expected, eventType } of test.expectEvents ?? []) {
      if (eventType !== undefined && eventType !== 'command') continue;
      const commands = expected.flatMap((event: Any) => event.commandStartedEvent?.command ?? []);
      commands.forEach((command: Any, i: number) => match(command, events[client]?.[i]?.command, 'event', true));
    }
    for (const { databaseName, collectionName, documents } of test.outcome ?? []) {
      const found = await setup.db(databaseName).collection(collectionName).find().sort({ _id: 1 }).toArray();
      match(documents, found, 'outcome');
    }
  } finally {
    await setup.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
    const clients = Object.values(entities).filter((entity) => entity instanceof MongoClient);
    await Promise.all([setup, ...clients].map((client) => client.close()));
  }
}

async function createEntity(
  uri: string,
  entity: Any,
  entities: Entities,
  events: Record<string, Any[]>,
): Promise<void> {
  const { client, database, collection, session } = entity;
  if (client) {
    const { w, readConcernLevel, retryWrites = true, retryReads = true } = client.uriOptions ?? {};
    const concerns = {
      ...(w !== undefined && { writeConcern: { w } }),
      ...(readConcernLevel && { readConcern: { level: readConcernLevel } }),
    };
    const created = new MongoClient(uri, { monitorCommands: true, retryWrites, retryReads, ...concerns });
    const seen: Any[] = (events[client.id] = []);
    created.on(
      'commandStarted',
      ({ command }) => void ('endSessions' in command || 'configureFailPoint' in command || seen.push({ command })),
    );
    entities[client.id] = await created.connect();
  } else if (database) {
    entities[database.id] = entities[database.client].db(database.databaseName, database.databaseOptions);
  } else if (collection) {
    const { id, collectionName, collectionOptions } = collection;
    entities[id] = entities[collection.database].collection(collectionName, collectionOptions);
  } else if (session) {
    entities[session.id] = entities[session.client].startSession(session.sessionOptions);
  }
}

async function runOperation(operation: Any, entities: Entities): Promise<void> {
  const { expectError: wanted, expectResult, ignoreResultAndError } = operation;
  const outcome = await perform(operation, entities).then(
    (result) => ({ result, error: undefined as Any }),
    (error) => ({ result: undefined, error }),
  );
  const { result, error } = outcome;
  if (ignoreResultAndError) return;
  if (!wanted) {
    if (error) throw error;
    if (expectResult !== undefined) match(expectResult, result, 'result', true);
    return;
  }
  if (!error) throw new Error('an error was expected');
  // A bulk write of a client wraps what failed as a whole.
  const failure = error.cause?.errorResponse ? error.cause : error;
  if (wanted.errorCode !== undefined) match(wanted.errorCode, failure.code, 'code');
  if (wanted.errorContains && !error.message.toLowerCase().includes(wanted.errorContains.toLowerCase())) throw error;
  if (wanted.expectResult)
    match(wanted.expectResult, error.partialResult ?? error.result ?? {}, 'partial result', true);
  if (wanted.errorResponse) match(wanted.errorResponse, failure.errorResponse, 'error response', true);
  if (wanted.isClientError !== undefined) match(wanted.isClientError, failure.code === undefined, 'client error');
  if (wanted.writeConcernErrors) match(wanted.writeConcernErrors, error.writeConcernErrors, 'write concern errors');
  for (const [index, expected] of Object.entries(wanted.writeErrors ?? {})) {
    match(expected, error.writeErrors.get(Number(index)), 'write error', true);
  }
}

async function perform({ name, object, arguments: given = {} }: Any, entities: Entities): Promise<Any> {
  if (name === 'failPoint') return entities[given.client].db('admin').command(given.failPoint);
  const target = entities[object];
  const { filter, document, documents, update, replacement, pipeline, requests, fieldName, models, session, ...rest } =
    given;
  const options = session ? { ...rest, session: entities[session] } : rest;
  if (options.returnDocument) options.returnDocument = options.returnDocument.toLowerCase();
  else if (/^findOneAnd(Update|Replace)$/.test(name)) options.returnDocument = 'before';
  if (name === 'find' || name === 'aggregate') return target[name](filter ?? pipeline, options).toArray();
  if (name === 'distinct') return target.distinct(fieldName, filter, options);
  if (name === 'runCommand') return target.command(given.command);
  if (name === 'modifyCollection') return target.command({ collMod: given.collection, validator: given.validator });
  if (name === 'estimatedDocumentCount') return target.estimatedDocumentCount(options);
  if (name === 'createIndex') return target.createIndex(given.keys, { unique: given.unique, name: given.name });
  if (name === 'createCollection' || name === 'dropCollection') return target[name](options.collection);
  if (name.startsWith('insert')) return target[name](document ?? documents, options);
  if (name.startsWith('update') || name === 'findOneAndUpdate') return target[name](filter, update, options);
  if (/replace/i.test(name)) return target[name](filter, replacement, options);
  if (name === 'bulkWrite') return target.bulkWrite(requests, options);
  if (name !== 'clientBulkWrite') return target[name](filter, options);
  const operations = models.map((model: Any) => ({
    name: Object.keys(model)[0],
    ...(Object.values(model)[0] as object),
  }));
  const result = await target.bulkWrite(operations, options);
  // An addition of this driver, which the cases do not know.
  for (const updated of result.updateResults?.values() ?? []) delete updated.didUpsert;
  return result;
}

function match(expected: Any, actual: Any, path: string, isRoot = false): void {
  const fail = (): never => {
    throw new Error(`${path}: expected ${EJSON.stringify({ expected })}, got ${EJSON.stringify({ actual })}`);
  };
  const found = actual instanceof Map ? Object.fromEntries(actual) : actual;
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) fail();
    expected.forEach((item, i) => match(item, found[i], `${path}[${i}]`, path === 'result'));
  } else if (isNumber(expected)) {
    if (!isNumber(found) || Number(expected) !== Number(found)) fail();
  } else if (isPlain(expected)) {
    const [operator = ''] = Object.keys(expected);
    if (operator.startsWith('$$')) return matchSpecial(operator, expected[operator], found, path, fail);
    if (typeof found !== 'object' || found === null) fail();
    for (const key of Object.keys(expected)) match(expected[key], found[key], `${path}.${key}`);
    if (!isRoot && Object.keys(found).some((key) => !(key in expected) && found[key] !== undefined)) fail();
  } else if (EJSON.stringify({ v: expected }) !== EJSON.stringify({ v: found })) fail();
}

function matchSpecial(operator: string, operand: Any, actual: Any, path: string, fail: () => never): void {
  if (operator === '$$unsetOrMatches')
    return actual === undefined || actual === null ? undefined : match(operand, actual, path, true);
  if (operator === '$$exists') return (actual !== undefined) === operand ? undefined : fail();
  if (operator === '$$type') return actual === undefined ? fail() : undefined;
  if (operator === '$$lte') return Number(actual) <= Number(operand) ? undefined : fail();
  if (operator === '$$matchAsRoot') return match(operand, actual, path, true);
}

function isNumber(value: Any): boolean {
  return typeof value === 'number' || value instanceof Long || ['Int32', 'Double'].includes(value?._bsontype);
}

function isPlain(value: Any): boolean {
  return typeof value === 'object' && value !== null && !value._bsontype && !(value instanceof Date);
}
