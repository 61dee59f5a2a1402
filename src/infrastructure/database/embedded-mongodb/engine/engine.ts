import { Retries, Sessions, type Transaction } from './sessions.js';
import { plainScope } from '../expressions/expression.js';
import type { Store } from '../storage/store.js';
import type { Overlay, WritableView } from '../storage/view.js';
import type { Document } from '../values/document.js';
import { Catalogue, REMOVED_AT_ONCE, removeGarbage } from './catalogue.js';
import { Cursors } from './cursors.js';
import { findRecords } from './find.js';
import { removeRecord } from './records.js';

/** Commands that fail on demand, as with MongoDB's failCommand, for tests of error handling. */
export interface FailPoint {
  left: number;
  data: Document;
}

/** How long a write waits for transactions: far longer than they take, but shorter than clients wait, such as this service (2 s). */
const LONGEST_WAIT_MS = 1_500;

/** Undoes a write that has to wait. */
class Precedence extends Error {
  constructor(readonly transaction: Transaction) {
    super('A transaction has written the same');
  }
}

/** An open store: its data, catalogue, sessions and cursors. */
export class Engine {
  readonly catalogue: Catalogue;
  readonly cursors: Cursors;
  readonly sessions: Sessions;
  readonly retries: Retries;
  /** The address for clients, once it listens. */
  address = '';
  failPoint: FailPoint = { left: 0, data: {} };

  constructor(
    readonly store: Store,
    readonly now: () => Date = () => new Date(),
  ) {
    this.catalogue = new Catalogue(store);
    this.cursors = new Cursors(now);
    this.retries = new Retries(now);
    this.sessions = new Sessions(this);
  }

  /** Like Store.write(), for actions that may change the catalogue. */
  async write<T>(action: (view: Overlay) => T): Promise<T> {
    let hasThrown = false;
    try {
      return await this.store.write((view) => {
        const { changes } = this.catalogue;
        try {
          return action(view);
        } catch (error) {
          hasThrown = true;
          // At once: the next writer in this commit would work on a collection that was never stored.
          if (this.catalogue.changes !== changes) this.catalogue.reload();
          throw error;
        }
      });
    } catch (error) {
      // The commit failed after the action had changed the catalogue.
      if (!hasThrown) this.catalogue.reload();
      throw error;
    }
  }

  /**
   * The same outside of transactions: as with MongoDB, it waits for the end of those that have to come first. Not for ever, since
   * code in a transaction that forgets its session waits for itself: in the end it writes, and the transaction meets a conflict.
   */
  async writeAfterTransactions<T>(
    action: (view: WritableView) => T,
    first = (view: Overlay): Transaction | undefined => this.sessions.writerOf(view.keys()),
  ): Promise<T> {
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      try {
        return await this.write((view) => {
          const result = action(view);
          const transaction = first(view);
          if (transaction && performance.now() < untilMs) throw new Precedence(transaction);
          return result;
        });
      } catch (error) {
        if (!(error instanceof Precedence)) throw error;
        await error.transaction.ended(untilMs - performance.now());
      }
    }
  }

  /** For a transaction, which cannot wait. The catalogue is not transactional; an empty collection does no harm. */
  createCollection(database: string, name: string): void {
    try {
      this.store.writeNow((view) => this.catalogue.create(view, database, name));
    } catch (error) {
      this.catalogue.reload();
      throw error;
    }
  }

  /** MongoDB's background work of every minute: removes expired documents, cursors and transactions, and what was dropped. */
  async sweep(): Promise<void> {
    this.cursors.closeIdle();
    this.sessions.forgetExpired();
    await this.write((view) => this.retries.forgetExpired(view));
    while (await this.write((view) => removeExpired(view, this.catalogue, this.now())));
    while (await this.write(removeGarbage));
  }

  /** @param beforeClose called last, while the store is still open */
  async close(beforeClose: () => void = () => undefined): Promise<void> {
    this.sessions.abortAll();
    // Writers that already wait for the disk are finished.
    await this.store.write(() => undefined);
    beforeClose();
    await this.store.close();
  }
}

/** Removes documents that have expired by a TTL index. @returns whether there may be more */
function removeExpired(view: WritableView, catalogue: Catalogue, now: Date): boolean {
  let hasMore = false;
  for (const collection of catalogue.all()) {
    for (const { fields, expireAfterSeconds, partialFilter } of collection.indexes) {
      if (expireAfterSeconds === undefined) continue;
      const deadline = new Date(now.getTime() - expireAfterSeconds * 1000);
      // The earliest date of an array counts; a document without a date never expires.
      const isOver = fields.map(({ path }) => ({ [path]: { $lte: deadline } }));
      const filter = partialFilter ? { ...partialFilter, $and: [...isOver, partialFilter] } : { $and: isOver };
      const expired = findRecords(view, collection, { ...plainScope(), filter, limit: REMOVED_AT_ONCE });
      for (const record of expired) removeRecord(view, collection, record);
      hasMore ||= expired.length === REMOVED_AT_ONCE;
    }
  }
  return hasMore;
}
