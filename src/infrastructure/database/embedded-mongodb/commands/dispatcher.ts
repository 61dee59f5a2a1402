import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import type { Engine } from '../engine/engine.js';
import { isDocument, type Document } from '../values/document.js';
import { ProtocolError } from '../wire/message.js';
import { aggregateCommand, writesOutput } from './aggregate.js';
import { bulkWriteCommand, operationsOf } from './bulk-write-command.js';
import { collectionCommands } from './collection-commands.js';
import { CommandContext, type CommandHandler, type Reply, type SessionOfCommand } from './command-context.js';
import { failPointCommand, orFail } from './fail-point.js';
import { findAndModifyCommand } from './find-and-modify.js';
import { indexCommands } from './index-commands.js';
import { explainCommand } from './explain.js';
import { readCommands } from './read-commands.js';
import { serverCommands, sessionId } from './server-commands.js';
import { writeCommands } from './write-commands.js';

const COMMANDS: ReadonlyMap<string, CommandHandler> = new Map(
  Object.entries({
    ...serverCommands,
    ...readCommands,
    ...explainCommand,
    ...writeCommands,
    ...bulkWriteCommand,
    ...findAndModifyCommand,
    ...aggregateCommand,
    ...collectionCommands,
    ...indexCommands,
    ...failPointCommand,
  }),
);

/** Old spellings that clients still send. */
const ALIASES: Record<string, string> = {
  isMaster: 'ismaster',
  findandmodify: 'findAndModify',
  buildinfo: 'buildInfo',
};

/** Codes after which the whole transaction may be tried again. */
const TRANSIENT = new Set([112, 251]);

/** Runs one command; every failure becomes an error reply. @throws ProtocolError to have the connection closed */
export async function dispatch(engine: Engine, command: Document): Promise<Reply> {
  const session = sessionOf(command);
  if (session) engine.sessions.use(session.session);
  try {
    return await orFail(engine.failPoint, Object.keys(command)[0] ?? '', () => run(engine, command, session));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (session?.isInTransaction) engine.sessions.abort(session.session);
    return errorReply(error, session?.isInTransaction ?? false);
  }
}

async function run(engine: Engine, command: Document, session: SessionOfCommand | undefined): Promise<Reply> {
  const given = Object.keys(command)[0] ?? '';
  const name = ALIASES[given] ?? given;
  const handler = COMMANDS.get(name);
  if (!handler)
    throw new CommandError(59, `no such command: '${given}': the embedded store lacks it, use MongoDB for it`);
  if (name !== given) command[name] = command[given];
  if (handler.kind === 'control')
    return handler.run(new CommandContext(engine, command, name, readOnly(engine), session));
  if (session?.isInTransaction) return runInTransaction(engine, command, name, handler, session);
  if (handler.kind === 'read' && !writesOutput(command)) {
    return handler.run(new CommandContext(engine, command, name, readOnly(engine), session));
  }
  return engine.write((view) => {
    const isRetryable = session?.number !== undefined && handler.kind === 'write';
    const known = isRetryable && engine.retries.find(view, session.session, session.number as bigint);
    if (known) return known;
    const reply = handler.run(new CommandContext(engine, command, name, view, session)) as Reply;
    if (isRetryable && isDocument(reply))
      engine.retries.remember(view, session.session, session.number as bigint, reply);
    return reply;
  });
}

async function runInTransaction(
  engine: Engine,
  command: Document,
  name: string,
  handler: CommandHandler,
  session: SessionOfCommand,
): Promise<Reply> {
  const of = { session: session.session, number: session.number as bigint };
  const starts = command['startTransaction'] === true;
  const transaction = starts ? engine.sessions.start(of) : engine.sessions.find(of);
  if (handler.kind === 'schema') {
    if (name !== 'create') throw new CommandError(263, `Cannot run ${name} in a multi-document transaction`);
    // A new, empty collection harms nobody if the transaction is aborted.
    return engine.write((view) => handler.run(new CommandContext(engine, command, name, view, session)) as Reply);
  }
  await createMissingCollections(engine, new CommandContext(engine, command, name, transaction, session));
  return handler.run(new CommandContext(engine, command, name, transaction, session, engine.sessions.find(of)));
}

async function createMissingCollections(engine: Engine, context: CommandContext): Promise<void> {
  const { catalogue } = engine;
  const missing = namespacesToCreate(context).filter((namespace) => !catalogue.find(namespace));
  if (missing.length === 0) return;
  await engine.write((view) => {
    for (const namespace of missing.filter((one) => !catalogue.find(one))) {
      const dot = namespace.indexOf('.');
      catalogue.create(view, namespace.slice(0, dot), namespace.slice(dot + 1));
    }
  });
}

/** The collections that a command may insert into. */
function namespacesToCreate(context: CommandContext): string[] {
  const { command, name } = context;
  const isUpsert = (statement: unknown): boolean => isDocument(statement) && statement['upsert'] === true;
  if (name === 'bulkWrite') {
    const inserting = operationsOf(command).filter(({ kind, statement }) => kind === 'insert' || isUpsert(statement));
    return inserting.map(({ namespace }) => namespace);
  }
  const inserts = name === 'insert' || isUpsert(command) || [command['updates']].flat().some(isUpsert);
  return inserts ? [context.namespace] : [];
}

function readOnly({ store }: Engine): CommandContext['view'] {
  const refuse = (): never => {
    throw new Error('A reading command tried to write');
  };
  return {
    get: (key) => store.get(key),
    range: (...bounds) => store.range(...bounds),
    put: refuse,
    del: refuse,
    add: refuse,
  };
}

function sessionOf(command: Document): SessionOfCommand | undefined {
  const session = sessionId(command['lsid']);
  if (session === undefined) return undefined;
  const { txnNumber, autocommit } = command;
  const number =
    txnNumber instanceof Long ? txnNumber.toBigInt() : typeof txnNumber === 'number' ? BigInt(txnNumber) : undefined;
  return { session, number, isInTransaction: autocommit === false && number !== undefined };
}

function errorReply(error: unknown, isInTransaction: boolean): Document {
  const known = error instanceof CommandError ? error : new CommandError(1, `${(error as Error)?.message ?? error}`);
  const { code, codeName, message: errmsg, details } = known;
  const labels = isInTransaction && TRANSIENT.has(code) ? { errorLabels: ['TransientTransactionError'] } : {};
  return { ok: 0, errmsg, code, codeName, ...details, ...labels };
}
