import { Retries, Sessions } from './sessions.js';
import { plainScope } from '../expressions/expression.js';
import type { Store } from '../storage/store.js';
import type { WritableView } from '../storage/view.js';
import type { Document } from '../values/document.js';
import { Catalogue } from './catalogue.js';
import { Cursors } from './cursors.js';
import { findRecords } from './find.js';
import { removeRecord } from './records.js';

/** Commands that fail on demand, as MongoDB's failCommand, so that tests see how their code takes it. */
export interface FailPoint {
  left: number;
  data: Document;
}

/** One opened store with everything that is known about it. */
export class Engine {
  readonly catalogue: Catalogue;
  readonly cursors: Cursors;
  readonly sessions: Sessions;
  readonly retries: Retries;
  /** Where clients reach it, once it listens. */
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

  /** As Store.write(), for an action that may change the catalogue. */
  async write<T>(action: (view: WritableView) => T): Promise<T> {
    let hasThrown = false;
    try {
      return await this.store.write((view) => {
        const { changes } = this.catalogue;
        try {
          return action(view);
        } catch (error) {
          hasThrown = true;
          // Now, not later: the next writer of this commit would work on a collection that was never stored.
          if (this.catalogue.changes !== changes) this.catalogue.reload();
          throw error;
        }
      });
    } catch (error) {
      // The commit failed, after the catalogue had changed with the action.
      if (!hasThrown) this.catalogue.reload();
      throw error;
    }
  }

  /** For a transaction, which cannot wait: the catalogue is not transactional, and an empty collection harms nobody. */
  createCollection(database: string, name: string): void {
    try {
      this.store.writeNow((view) => this.catalogue.create(view, database, name));
    } catch (error) {
      this.catalogue.reload();
      throw error;
    }
  }

  /** What MongoDB does in the background every minute: expired documents, cursors, transactions. */
  async sweep(): Promise<void> {
    this.cursors.closeIdle();
    this.sessions.forgetExpired();
    await this.write((view) => this.retries.forgetExpired(view));
    while (await this.write((view) => removeExpired(view, this.catalogue, this.now())));
  }

  /** @param beforeClose the last thing done while the store is still open */
  async close(beforeClose: () => void = () => undefined): Promise<void> {
    this.sessions.abortAll();
    // Writers that already wait for the disk are let through.
    await this.store.write(() => undefined);
    beforeClose();
    await this.store.close();
  }
}

/** So that removing a million of them never keeps other clients waiting for long. */
const MOST_AT_ONCE = 2_000;

/** Removes documents whose time is over by a TTL index. @returns true when there may be more */
function removeExpired(view: WritableView, catalogue: Catalogue, now: Date): boolean {
  let hasMore = false;
  for (const collection of catalogue.all()) {
    for (const { fields, expireAfterSeconds, partialFilter } of collection.indexes) {
      if (expireAfterSeconds === undefined) continue;
      const deadline = new Date(now.getTime() - expireAfterSeconds * 1000);
      // The earliest date of an array counts; a document without a date never expires.
      const isOver = fields.map(({ path }) => ({ [path]: { $lte: deadline } }));
      const filter = partialFilter ? { ...partialFilter, $and: [...isOver, partialFilter] } : { $and: isOver };
      const expired = findRecords(view, collection, { ...plainScope(), filter, limit: MOST_AT_ONCE });
      for (const { id, document } of expired) removeRecord(view, collection, id, document);
      hasMore ||= expired.length === MOST_AT_ONCE;
    }
  }
  return hasMore;
}
