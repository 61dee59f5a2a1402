import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type ClientSession, type Connection, mongo } from 'mongoose';
import { ApiError } from '../../common/errors/index.js';
import { currentRequest } from '../../common/http/index.js';
import { Turns } from '../../common/turns/index.js';

/** The driver would repeat a transaction for two minutes, long after its request was answered with a 503. */
const REPEAT_FOR_MS = 4_000;

/**
 * What a commit and caches that answer may take after it. It cannot be called back: one that came after its request's 503 would refuse
 * the caller who tries again.
 */
const COMMIT_MS = 750;

/** A commit of which nobody knows whether it was done is repeated. The driver does so without a pause, thousands of times a second. */
const BETWEEN_COMMITS_MS = 50;

/** The database's own limit has ended it: repeating would not help. */
const MAX_TIME_EXPIRED = 50;

/** Between two transactions of a queue it is the turn of other processes. Conflicts may have made the first one take seconds. */
const LONGEST_PAUSE_MS = 100;

type Act = () => void | Promise<void>;

interface Current {
  /** False once the transaction has ended: what was started within and not awaited outlives it, and still finds this. */
  isOpen: boolean;
  afterwards: Act[];
}

/** One for the process: before Node 24 each one in use, even of an application that was closed, costs every promise something. */
const storage = new AsyncLocalStorage<Current>();

/** Runs work that writes several documents: all of it is done, or nothing. */
@Injectable()
export class Transactions {
  private readonly logger = new Logger('Transactions');
  private readonly turns = new Turns(REPEAT_FOR_MS);

  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Whether this is called within a transaction. */
  get isRunning(): boolean {
    return storage.getStore()?.isOpen === true;
  }

  /**
   * Runs the work in one transaction, which every model call in it joins. After a write conflict the work runs again from its
   * beginning, so it must do nothing outside the database. Within another transaction the work is part of that one.
   * @throws ApiError `service_unavailable` if conflicts or the database prevent it for 4 s, or if it is the first of a request that has
   *   no time left
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return this.isRunning ? work() : this.commit(work, performance.now() + REPEAT_FOR_MS);
  }

  /**
   * The same for work that writes what much other work of the same key writes: in this process, one starts after the other has
   * ended. Without a queue, twenty of them at once repeat each other for seconds, and keep everybody else from that document; with
   * it, other processes meet one of them at a time, and none for as long as it took: otherwise the next one would always begin before
   * they do.
   * @param keys name what is written, for example `user:<id>`. Of several, it waits in one queue after the other; work that has two
   *   of them in common must name them in the same order
   * @throws ApiError `service_unavailable` also if its turn does not come within 4 s
   */
  async runInTurn<T>(keys: string | string[], work: () => Promise<T>): Promise<T> {
    if (this.isRunning) return work();
    const lastStartMs = performance.now() + REPEAT_FOR_MS;
    let tookMs = 0;
    const act = async (): Promise<T> => {
      const startMs = performance.now();
      return this.commit(work, lastStartMs).finally(() => (tookMs = performance.now() - startMs));
    };
    return this.turns.take([keys].flat(), act, () => pause(Math.min(tookMs, LONGEST_PAUSE_MS)));
  }

  private async commit<T>(work: () => Promise<T>, lastStartMs: number): Promise<T> {
    const current: Current = { isOpen: true, afterwards: [] };
    const transaction = storage.run(current, () =>
      this.connection.transaction(async (session) => {
        refuseAfter(Math.min(lastStartMs, lastCommitMs()));
        current.afterwards.length = 0;
        const result = await work();
        refuseAfter(lastCommitMs());
        await commitUntil(() => Math.min(lastStartMs, dueMs()), session);
        return result;
      }),
    );
    const result = await transaction.finally(() => (current.isOpen = false));
    this.noteStored();
    for (const act of current.afterwards) void this.start(act);
    return result as T;
  }

  /**
   * Says that something is stored for the request: what follows belongs to it, as do the sessions that a new password ends, and is
   * done though the answer comes too late. To be called after single writes; transactions call it themselves.
   */
  noteStored(): void {
    const request = currentRequest();
    if (request) request.hasStored = true;
  }

  /**
   * Does something after the current transaction has committed, when its writes can be seen; outside of a transaction at once.
   * Nobody waits for it, and a failure is only logged: what is committed stays.
   */
  afterCommit(act: Act): void {
    const current = storage.getStore();
    if (current?.isOpen) current.afterwards.push(act);
    else void this.start(act);
  }

  private async start(act: Act): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.logger.error({ err: error }, 'What was to follow a commit failed');
    }
  }
}

/** Read anew each time: what goes on after the answer has all the time in the world. */
function dueMs(): number {
  const request = currentRequest();
  return (request?.hasStored ? undefined : request?.dueMs) ?? Infinity;
}

function lastCommitMs(): number {
  return dueMs() - COMMIT_MS;
}

function refuseAfter(lastMs: number): void {
  if (performance.now() > lastMs) throw new ApiError('service_unavailable');
}

/** The driver would go on for two minutes. What it throws is left to the driver, which begins anew where nothing was committed. */
async function commitUntil(lastMs: () => number, session: ClientSession): Promise<void> {
  try {
    await session.commitTransaction();
  } catch (cause) {
    // Of a connection that was reset, the driver passes on an error of another kind, after which it would abort what it has committed.
    const error =
      cause instanceof mongo.MongoError ? cause : new mongo.MongoRuntimeError(`No commit: ${String(cause)}`);
    const isUnknown = error !== cause || error.hasErrorLabel('UnknownTransactionCommitResult');
    if (!isUnknown || error.code === MAX_TIME_EXPIRED || performance.now() > lastMs()) throw error;
    await pause(BETWEEN_COMMITS_MS);
    await commitUntil(lastMs, session);
  }
}
