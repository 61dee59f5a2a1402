import { Long } from 'bson';
import { CommandError, unsupported } from '../command-error.js';
import type { Engine } from '../engine/engine.js';
import type { SessionOfCommand, Transaction } from '../engine/sessions.js';
import { Overlay, type WritableView } from '../storage/view.js';
import { own, type Document } from '../values/document.js';
import { ProtocolError } from '../wire/message.js';
import { bulkWrite } from './bulk-write-command.js';
import { CommandContext, type Reply } from './command-context.js';
import { aggregateOrExplain, explain } from './explain.js';
import { refuseUnknownFields } from './known-fields.js';
import { writesOutput } from './pipeline-output.js';
import { count, distinct, find, getMore, killCursors } from './read-commands.js';
import * as schema from './schema-commands.js';
import * as server from './server-commands.js';
import { findAndModify, insert, remove, update } from './write-commands.js';

type Handler = (context: CommandContext) => Reply;

/** Of one process they are all the same, except snapshots; but a misspelt one would be noticed only on MongoDB. */
const READ_CONCERNS: unknown[] = ['local', 'available', 'majority', 'linearizable', 'snapshot'];

/** Handlers that only read. They are synchronous, and see the writes of their transaction. */
const READING: Record<string, Handler> = { find, getMore, distinct, aggregate: aggregateOrExplain };

/** Handlers that write. They are synchronous, and run alone among writers; a retryable write is applied once. */
const WRITING: Record<string, Handler> = {
  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
  bulkWrite,
};

/** Handlers that change the catalogue. Like those that write, but refused in transactions, except `create`. */
const CHANGING_SCHEMA: Record<string, Handler> = {
  create: schema.create,
  drop: schema.drop,
  dropDatabase: schema.dropDatabase,
  createIndexes: schema.createIndexes,
  dropIndexes: schema.dropIndexes,
};

/** Handlers that transactions do not refuse, and that see none of their writes. They may wait. */
const OTHERS: Record<string, (context: CommandContext) => Reply | Promise<Reply>> = {
  hello: server.hello,
  ismaster: server.hello,
  isMaster: server.hello,
  ping: server.ping,
  buildInfo: server.buildInfo,
  buildinfo: server.buildInfo,
  connectionStatus: server.connectionStatus,
  endSessions: server.endSessions,
  commitTransaction: server.commitTransaction,
  abortTransaction: server.abortTransaction,
  killCursors,
};

/** Handlers that are refused in a transaction because what they tell is not part of its snapshot. */
const NOT_IN_TRANSACTIONS: Record<string, Handler> = {
  count,
  explain,
  serverStatus: server.serverStatus,
  hostInfo: server.hostInfo,
  configureFailPoint: server.configureFailPoint,
  listCollections: schema.listCollections,
  listDatabases: schema.listDatabases,
  listIndexes: schema.listIndexes,
};

/**
 * Runs one command; every failure becomes an error reply.
 * @param connection on which it came
 * @throws ProtocolError to close the connection
 */
export async function dispatch(engine: Engine, command: Document | CommandError, connection?: object): Promise<Reply> {
  if (command instanceof CommandError) return errorReply(command, false);
  const [name = ''] = Object.keys(command);
  const session = sessionOf(command);
  if (session) engine.sessions.use(session.session);
  try {
    return await server.orFail(engine.failPoint, name, () => run(engine, command, name, session, connection));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (session?.isInTransaction) engine.sessions.abort(session.session);
    return errorReply(error, session?.isInTransaction ?? false);
  }
}

async function run(
  engine: Engine,
  command: Document,
  name: string,
  session?: SessionOfCommand,
  connection?: object,
): Promise<Reply> {
  const on = (view: WritableView): CommandContext => new CommandContext(engine, command, name, view, session);
  const changing = own(CHANGING_SCHEMA, name);
  const outside = own(NOT_IN_TRANSACTIONS, name);
  if (session?.isInTransaction && (outside || (changing && name !== 'create'))) {
    throw new CommandError(263, `Cannot run '${name}' in a multi-document transaction.`);
  }
  refuseUnknownFields(name, command);
  const level = (command.readConcern as Document | undefined)?.level ?? 'local';
  if (!READ_CONCERNS.includes(level)) throw new CommandError(2, `'${level}' is not a valid value of readConcern.level`);
  if (level === 'snapshot' && !session?.isInTransaction) {
    throw unsupported('Reading a snapshot outside of a transaction');
  }
  const other = outside ?? own(OTHERS, name);
  if (other) return other(on(new Overlay(engine.store)));
  const handler = own(READING, name) ?? own(WRITING, name) ?? changing;
  if (!handler)
    throw new CommandError(59, `no such command: '${name}': the embedded store lacks it, use MongoDB for it`);
  const transaction = session?.isInTransaction ? transactionOf(engine, command, session) : undefined;
  if (transaction) transaction.connection = connection;
  // A transaction may begin with the creation of a collection, which takes effect before the commit.
  if (changing && transaction) return engine.write((view) => changing(on(view)));
  if (changing) {
    return engine.writeAfterTransactions(
      (view) => changing(on(view)),
      () => engine.sessions.overtaken(),
    );
  }
  if (transaction) return handler(new CommandContext(engine, command, name, transaction, session, transaction));
  if (own(READING, name) && !writesOutput(command)) return handler(on(new Overlay(engine.store)));
  return engine.writeAfterTransactions((view) => {
    const reply = (): Reply => handler(on(view));
    return session?.number === undefined ? reply() : engine.retries.once(view, session.session, session.number, reply);
  });
}

function transactionOf({ sessions }: Engine, command: Document, session: SessionOfCommand): Transaction {
  return command.startTransaction === true ? sessions.start(session) : sessions.find(session);
}

function sessionOf(command: Document): SessionOfCommand | undefined {
  const session = server.sessionId(command.lsid);
  if (session === undefined) return undefined;
  const { txnNumber, autocommit } = command;
  const isNumbered = txnNumber instanceof Long || typeof txnNumber === 'number';
  const number = isNumbered ? BigInt(txnNumber.toString()) : undefined;
  return { session, number, isInTransaction: autocommit === false && isNumbered };
}

/** A text, an array or a stack that is too large for JavaScript is an error of the command. */
function unforeseen(error: unknown): CommandError {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof RangeError
    ? new CommandError(10334, `What is calculated is too large, or nested too deeply: ${message}`)
    : new CommandError(1, message);
}

function errorReply(error: unknown, isInTransaction: boolean): Document {
  const known = error instanceof CommandError ? error : unforeseen(error);
  const { code, codeName, message: errmsg, details } = known;
  const labels = isInTransaction && known.isTransient ? { errorLabels: ['TransientTransactionError'] } : {};
  return { ok: 0, errmsg, code, codeName, ...details, ...labels };
}
