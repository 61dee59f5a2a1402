import { CommandError } from '../command-error.js';
import { SESSION_LIFETIME_MS } from '../sessions/session-lifetime.js';
import { MAX_DOCUMENT_BYTES } from '../values/document.js';
import { MAX_MESSAGE_BYTES } from '../wire/message.js';
import { MAX_BATCH } from './write-commands.js';
/** The MongoDB whose behaviour is followed, and its wire version. */
const VERSION = '8.0.0';
const WIRE_VERSION = 25;
export const serverCommands = {
    hello: { kind: 'control', run: (context) => ({ isWritablePrimary: true, ...handshake(context) }) },
    ismaster: { kind: 'control', run: (context) => ({ ismaster: true, ...handshake(context) }) },
    ping: { kind: 'control', run: () => ({ ok: 1 }) },
    buildInfo: {
        kind: 'control',
        run: () => ({
            version: VERSION,
            versionArray: [8, 0, 0, 0],
            gitVersion: 'embedded',
            maxBsonObjectSize: MAX_DOCUMENT_BYTES,
            ok: 1,
        }),
    },
    serverStatus: {
        kind: 'control',
        run: () => ({ version: VERSION, process: 'embedded-mongodb', pid: process.pid, ok: 1 }),
    },
    connectionStatus: {
        kind: 'control',
        run: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 }),
    },
    endSessions: { kind: 'control', run: endSessions },
    commitTransaction: { kind: 'control', run: commit },
    abortTransaction: { kind: 'control', run: abort },
};
/**
 * A set name makes drivers use retryable writes and transactions; without the session timeout they refuse sessions;
 * without topologyVersion they poll instead of waiting for pushed replies.
 */
function handshake(context) {
    return {
        helloOk: true,
        setName: 'embedded',
        hosts: [context.engine.address],
        secondary: false,
        maxBsonObjectSize: MAX_DOCUMENT_BYTES,
        maxMessageSizeBytes: MAX_MESSAGE_BYTES,
        maxWriteBatchSize: MAX_BATCH,
        localTime: context.engine.now(),
        logicalSessionTimeoutMinutes: SESSION_LIFETIME_MS / 60_000,
        minWireVersion: 0,
        maxWireVersion: WIRE_VERSION,
        readOnly: false,
        ok: 1,
    };
}
async function endSessions(context) {
    const { engine, command } = context;
    const ended = [command['endSessions']].flat().flatMap((session) => sessionId(session) ?? []);
    for (const session of ended) {
        engine.sessions.end(session);
        engine.cursors.closeOfSession(session);
    }
    if (ended.some((session) => engine.retries.isKnown(engine.store, session))) {
        await engine.write((view) => ended.forEach((session) => engine.retries.forget(view, session)));
    }
    return { ok: 1 };
}
/** The id of a logical session as text. */
export function sessionId(session) {
    const id = session?.id;
    return id?.toString('hex');
}
async function commit(context) {
    await context.engine.sessions.commit(transactionOf(context));
    return { ok: 1 };
}
function abort(context) {
    const transaction = transactionOf(context);
    context.engine.sessions.find(transaction);
    context.engine.sessions.abort(transaction.session);
    return { ok: 1 };
}
function transactionOf(context) {
    const { session, number } = context.session ?? {};
    if (!session || number === undefined)
        throw new CommandError(125, 'Command must be run within a transaction');
    return { session, number };
}
//# sourceMappingURL=server-commands.js.map