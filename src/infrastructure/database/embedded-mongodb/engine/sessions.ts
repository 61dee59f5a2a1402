import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import type { Catalogue } from './catalogue.js';
import type { Collection } from './indexes.js';
import { RETRYABLE_WRITE_RANGE, retryableWriteKey } from '../storage/keys.js';
import { MOST_SNAPSHOTS, type Snapshot, type Store } from '../storage/store.js';
import { Overlay, type View, type WritableView } from '../storage/view.js';
import { decodeOwn } from '../values/decode.js';
import { isDocument, toBytes, type Document } from '../values/document.js';

/** How long a session is kept after its last command; clients are told. */
export const SESSION_LIFETIME_MS = 30 * 60_000;

/** How long a transaction may stay open before it is aborted. */
export const TRANSACTION_LIFETIME_MS = 60_000;

interface TransactionHost {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly retries: Retries;
  readonly now: () => Date;
  write<T>(action: (view: WritableView) => T): Promise<T>;
}

export interface SessionOfCommand {
  session: string;
  /** Present for retryable writes and in transactions. */
  number: bigint | undefined;
  isInTransaction: boolean;
}

/** The sessions of clients, and their open transactions: at most one for each session. */
export class Sessions {
  /** The sessions that clients have used and not ended, with the time of their last command. */
  readonly lastUses = new Map<string, Date>();
  private readonly open = new Map<string, Transaction>();
  private readonly writers = new Map<string, Transaction>();

  constructor(private readonly engine: TransactionHost) {}

  use(session: string): void {
    this.lastUses.set(session, this.engine.now());
  }

  end(session: string): void {
    this.abort(session);
    this.lastUses.delete(session);
  }

  start({ session, number }: SessionOfCommand): Transaction {
    this.abort(session);
    if (this.open.size >= MOST_SNAPSHOTS) throw writeConflict();
    const { store, catalogue } = this.engine;
    const collections = new Map(catalogue.all().map((collection) => [collection.namespace, collection]));
    const now = this.engine.now();
    const transaction = new Transaction(number, now, store.snapshot(), store, this.writers, collections);
    this.open.set(session, transaction);
    return transaction;
  }

  /** @throws CommandError 251 if there is none, e.g. because it was aborted meanwhile */
  find({ session, number }: SessionOfCommand): Transaction {
    const transaction = this.open.get(session);
    if (transaction?.number === number) return transaction as Transaction;
    throw new CommandError(251, `Given transaction number ${number} does not match any in-progress transactions.`);
  }

  /** A repeated commit succeeds again. @throws CommandError 112 on a conflict, which aborts the transaction */
  async commit(of: SessionOfCommand): Promise<void> {
    const { store, catalogue, retries } = this.engine;
    const { session, number = 0n } = of;
    if (this.open.get(session)?.number !== number && retries.find(store, session, number)) return;
    const transaction = this.find(of);
    // From here on the outcome is decided, even if the client does not receive the reply.
    transaction.connection = undefined;
    try {
      await this.engine.write((view) => {
        transaction.checkConflicts();
        if (isOvertaken(transaction, catalogue)) throw writeConflict();
        transaction.flushTo(view);
        retries.remember(view, session, number, { ok: 1 });
      });
    } finally {
      this.abort(session);
    }
  }

  /** Does nothing if the session has no transaction. */
  abort(session: string): void {
    this.open.get(session)?.release();
    this.open.delete(session);
  }

  /**
   * Aborts the transactions of a closed connection. A driver abandons a transaction whose connection breaks, and begins it anew; one
   * of a dead process would block others from what it wrote until it expires.
   */
  abandon(connection: object): void {
    for (const [session, transaction] of this.open) if (transaction.connection === connection) this.abort(session);
  }

  /** The open transaction that a change of the catalogue would fail. */
  overtaken(): Transaction | undefined {
    return [...this.open.values()].find((transaction) => isOvertaken(transaction, this.engine.catalogue));
  }

  /** The open transaction that has written one of these keys. */
  writerOf(keys: Buffer[]): Transaction | undefined {
    if (this.writers.size === 0) return undefined;
    for (const key of keys) {
      const writer = this.writers.get(key.toString('latin1'));
      if (writer) return writer;
    }
    return undefined;
  }

  abortAll(): void {
    for (const session of this.open.keys()) this.abort(session);
  }

  forgetExpired(): void {
    const now = this.engine.now().getTime();
    for (const [session, { startedAt }] of this.open) {
      if (now - startedAt.getTime() > TRANSACTION_LIFETIME_MS) this.abort(session);
    }
    for (const [session, lastUse] of this.lastUses) {
      if (now - lastUse.getTime() > SESSION_LIFETIME_MS) this.end(session);
    }
  }
}

/** Indexes created meanwhile would lack its entries, and documents of a dropped collection would be orphaned. */
function isOvertaken({ written }: Transaction, catalogue: Catalogue): boolean {
  return [...written.values()].some((collection) => !catalogue.isAsItWas(collection));
}

/**
 * Replies to retryable writes, stored in the same commit as the write: a client that lost the connection, or the whole server,
 * between commit and reply repeats the command and gets the reply, and nothing is written twice.
 */
export class Retries {
  constructor(private readonly now: () => Date) {}

  /** Runs a write, or returns the reply to its earlier attempt. @throws CommandError 225 if the session has moved on */
  once<T extends Document | Buffer>(view: WritableView, session: string, number: bigint, write: () => T): T {
    const known = this.find(view, session, number);
    if (known) return known as T;
    const reply = write();
    if (isDocument(reply)) this.remember(view, session, number, reply);
    return reply;
  }

  /** The reply to an earlier attempt of this write. @throws CommandError 225 if the session has moved on */
  find(view: View, session: string, number: bigint): Document | undefined {
    const stored = view.get(retryableWriteKey(session));
    if (!stored) return undefined;
    const { number: last, reply } = decodeOwn(stored) as { number: Long; reply: Document };
    const known = last.toBigInt();
    if (known <= number) return known === number ? reply : undefined;
    throw new CommandError(225, `Retryable write with txnNumber ${number} is prohibited, the session is at ${known}`);
  }

  remember(view: WritableView, session: string, number: bigint, reply: Document): void {
    view.put(retryableWriteKey(session), toBytes({ number: Long.fromBigInt(number), at: this.now(), reply }));
  }

  forget(view: WritableView, session: string): void {
    view.del(retryableWriteKey(session));
  }

  forgetExpired(view: WritableView): void {
    const oldest = this.now().getTime() - SESSION_LIFETIME_MS;
    for (const { key, value } of view.range(...RETRYABLE_WRITE_RANGE)) {
      if ((decodeOwn(value).at as Date).getTime() < oldest) view.del(key);
    }
  }
}

/**
 * A multi-document transaction: it reads a snapshot, and keeps its writes in memory until the commit. The later of two that write a
 * key gets a conflict; writes outside of transactions wait for a while.
 */
export class Transaction extends Overlay {
  /** The collections it wrote to, as they were at that time. */
  readonly written = new Map<string, Collection>();
  /** The connection of its latest command. */
  connection: object | undefined;
  private readonly waiting = new Set<() => void>();
  private isOver = false;
  /** The snapshot's values of the keys that it wrote, kept because within the commit LMDB reads what the commit writes. */
  private readonly before = new Map<string, Buffer | undefined>();

  constructor(
    readonly number: bigint | undefined,
    readonly startedAt: Date,
    private readonly snapshot: Snapshot,
    private readonly live: View,
    /** The open transaction that wrote each key; shared by all transactions. */
    private readonly writers: Map<string, Transaction>,
    /** The collections as of the snapshot, in which newer indexes have no entries. */
    readonly collections: ReadonlyMap<string, Collection>,
  ) {
    super(snapshot);
  }

  /** @throws CommandError 112 if another writer has committed, or is about to write, a key that this transaction wrote */
  checkConflicts(): void {
    for (const key of this.keys()) this.checkKey(key);
  }

  release(): void {
    for (const key of this.keys()) this.writers.delete(key.toString('latin1'));
    this.snapshot.release();
    this.isOver = true;
    for (const wake of this.waiting) wake();
  }

  /** Resolves when it has committed or was aborted, or after this time. */
  ended(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      // It may have been committed beside the write that was to wait for it.
      if (this.isOver) return resolve();
      const timer = setTimeout(resolve, withinMs);
      this.waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  protected override write(key: Buffer, value: Buffer | null): void {
    const name = key.toString('latin1');
    const writer = this.writers.get(name);
    if (writer && writer !== this) throw writeConflict();
    if (!this.before.has(name)) this.before.set(name, this.snapshot.get(key));
    this.checkKey(key);
    this.writers.set(name, this);
    super.write(key, value);
  }

  private checkKey(key: Buffer): void {
    const [now, then] = [this.live.get(key), this.before.get(key.toString('latin1'))];
    if (now && then ? !now.equals(then) : now !== then) throw writeConflict();
  }
}

function writeConflict(): CommandError {
  return new CommandError(112, 'Write conflict. :: Please retry your operation or multi-document transaction.');
}
