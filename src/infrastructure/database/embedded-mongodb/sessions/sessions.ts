import { CommandError } from '../command-error.js';
import type { Catalogue } from '../engine/catalogue.js';
import type { Store } from '../storage/store.js';
import type { WritableView } from '../storage/view.js';
import type { Retries } from './retries.js';
import { Transaction, writeConflict } from './transaction.js';

/** How long a session is known after its last command; clients are told. */
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

/** The sessions of the clients and their open transactions, one per session at most. */
export class Sessions {
  private readonly lastUses = new Map<string, Date>();
  private readonly open = new Map<string, Transaction>();
  private readonly writers = new Map<string, Transaction>();

  constructor(private readonly engine: TransactionHost) {}

  use(session: string): void {
    this.lastUses.set(session, this.engine.now());
  }

  /** The sessions that clients have used and not ended, with the time of their last command. */
  all(): ReadonlyMap<string, Date> {
    return this.lastUses;
  }

  end(session: string): void {
    this.abort(session);
    this.lastUses.delete(session);
  }

  start({ session, number }: SessionOfCommand): Transaction {
    this.abort(session);
    const { store, catalogue } = this.engine;
    const collections = new Map(catalogue.all().map((collection) => [collection.namespace, collection]));
    const now = this.engine.now();
    const transaction = new Transaction(number, now, store.snapshot(), store, this.writers, collections);
    this.open.set(session, transaction);
    return transaction;
  }

  /** @throws CommandError 251 when there is none, e.g. because it was aborted meanwhile */
  find({ session, number }: SessionOfCommand): Transaction {
    const transaction = this.open.get(session);
    if (transaction?.number === number) return transaction as Transaction;
    throw new CommandError(251, `Given transaction number ${number} does not match any in-progress transactions.`);
  }

  /** Committing twice succeeds twice. @throws CommandError 112 on a conflict; the transaction is aborted then */
  async commit(of: SessionOfCommand): Promise<void> {
    const { store, catalogue, retries } = this.engine;
    const { session, number = 0n } = of;
    if (this.open.get(session)?.number !== number && retries.find(store, session, number)) return;
    const transaction = this.find(of);
    try {
      await this.engine.write((view) => {
        transaction.checkConflicts();
        // Indexes that came meanwhile lack its entries; a dropped collection would leave its documents to nobody.
        for (const [namespace, collection] of transaction.written) {
          if (catalogue.find(namespace) !== collection) throw writeConflict();
        }
        transaction.flushTo(view);
        retries.remember(view, session, number, { ok: 1 });
      });
    } finally {
      this.abort(session);
    }
  }

  /** Does nothing when the session has no transaction. */
  abort(session: string): void {
    this.open.get(session)?.release();
    this.open.delete(session);
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
