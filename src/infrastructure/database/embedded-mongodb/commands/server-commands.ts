import { Binary } from 'bson';
import { CommandError, unsupported } from '../command-error.js';
import type { FailPoint } from '../engine/engine.js';
import { SESSION_LIFETIME_MS, type SessionOfCommand } from '../engine/sessions.js';
import { isDocument, MAX_DOCUMENT_BYTES, type Document } from '../values/document.js';
import { isNumber } from '../values/bson-types.js';
import { MAX_MESSAGE_BYTES, ProtocolError } from '../wire/message.js';
import type { CommandContext, Reply } from './command-context.js';
import { MAX_BATCH } from './write-commands.js';

/** The version of MongoDB whose behaviour is followed, and its wire version. */
const VERSION = '8.0.0';
const WIRE_VERSION = 25;

/**
 * A set name makes drivers use retryable writes and transactions; without the session timeout they refuse sessions;
 * without topologyVersion they poll instead of waiting for pushed replies.
 */
export function hello({ engine, name }: CommandContext): Document {
  return {
    [name === 'hello' ? 'isWritablePrimary' : 'ismaster']: true,
    helloOk: true,
    setName: 'embedded',
    hosts: [engine.address],
    secondary: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_BATCH,
    localTime: engine.now(),
    logicalSessionTimeoutMinutes: SESSION_LIFETIME_MS / 60_000,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
    ok: 1,
  };
}

export function ping(): Document {
  return { ok: 1 };
}

export function buildInfo(): Document {
  const versionArray = [...VERSION.split('.').map(Number), 0];
  return { version: VERSION, versionArray, gitVersion: 'embedded', maxBsonObjectSize: MAX_DOCUMENT_BYTES, ok: 1 };
}

export function serverStatus(): Document {
  return { version: VERSION, process: 'embedded-mongodb', pid: process.pid, ok: 1 };
}

/** Compass lists nothing without this: who is asking, as where nobody has to log in. */
export function connectionStatus(): Document {
  const authInfo = { authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: [] };
  return { authInfo, ok: 1 };
}

/** Compass opens no connection without this either. */
export function hostInfo(): Document {
  return { system: {}, os: {}, extra: {}, ok: 1 };
}

export async function endSessions({ engine, command }: CommandContext): Promise<Document> {
  const ended = [command.endSessions].flat().flatMap((session) => sessionId(session) ?? []);
  for (const session of ended) {
    engine.sessions.end(session);
    engine.cursors.closeOfSession(session);
  }
  await engine.write((view) => ended.forEach((session) => engine.retries.forget(view, session)));
  return { ok: 1 };
}

/** The text of a logical session's id. */
export function sessionId(session: unknown): string | undefined {
  const id = isDocument(session) ? session.id : undefined;
  return id instanceof Binary ? Buffer.from(id.value()).toString('hex') : undefined;
}

export async function commitTransaction(context: CommandContext): Promise<Document> {
  await context.engine.sessions.commit(transactionOf(context));
  return { ok: 1 };
}

export function abortTransaction(context: CommandContext): Document {
  const session = transactionOf(context);
  context.engine.sessions.find(session);
  context.engine.sessions.abort(session.session);
  return { ok: 1 };
}

function transactionOf({ session }: CommandContext): SessionOfCommand {
  if (session?.isInTransaction) return session;
  throw new CommandError(125, 'Command must be run within a transaction');
}

/** Sets a fail point; only in a throw-away store, as MongoDB has it in test mode only. */
export function configureFailPoint({ engine, command }: CommandContext): Document {
  const { configureFailPoint: name, mode, data = {} } = command;
  if (engine.store.isDurable || name !== 'failCommand') throw unsupported(`The fail point ${String(name)}`);
  const times = isDocument(mode) ? mode.times : mode === 'alwaysOn' ? Infinity : 0;
  if (!isNumber(times) || !isDocument(data)) throw new CommandError(9, 'A fail point needs a mode and data');
  engine.failPoint = { left: Number(times), data };
  return { ok: 1 };
}

/** Runs a command, or makes it fail if a fail point says so. @throws ProtocolError to close the connection */
export async function orFail(point: FailPoint, name: string, run: () => Promise<Reply>): Promise<Reply> {
  const { failCommands, closeConnection, errorCode, errorLabels, writeConcernError } = point.data;
  if (point.left <= 0 || !Array.isArray(failCommands) || !failCommands.includes(name)) return run();
  point.left--;
  if (closeConnection === true) throw new ProtocolError('closed by a fail point');
  if (isNumber(errorCode)) {
    const details = errorLabels ? { errorLabels } : {};
    throw new CommandError(Number(errorCode), "Failing command via 'failCommand' failpoint", details);
  }
  const reply = await run();
  return writeConcernError && !Buffer.isBuffer(reply) ? { ...reply, writeConcernError } : reply;
}
