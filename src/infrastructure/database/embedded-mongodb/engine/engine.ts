import { leaves } from '../query/leaves.js';
import { Retries, Sessions } from '../sessions/sessions.js';
import { documentKey, indexRange, recordIdOf } from '../storage/keys.js';
import type { Store } from '../storage/store.js';
import type { WritableView } from '../storage/view.js';
import { decode } from '../values/decode.js';
import type { Document } from '../values/document.js';
import { limitBounds } from './bounds.js';
import { Catalogue } from './catalogue.js';
import { Cursors } from './cursors.js';
import type { IndexDefinition } from './indexes.js';
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
    this.cursors.closeAll();
    // Writers that already wait for the disk are let through.
    await this.store.write(() => undefined);
    beforeClose();
    await this.store.close();
  }
}

/** So that removing a million of them never keeps other clients waiting for long. */
const MOST_AT_ONCE = 2_000;

/** Removes documents whose time is over by a TTL index. @returns true when there may be more */
export function removeExpired(view: WritableView, catalogue: Catalogue, now: Date): boolean {
  let hasMore = false;
  for (const collection of catalogue.all()) {
    for (const index of collection.indexes) {
      if (index.expireAfterSeconds === undefined) continue;
      const deadline = new Date(now.getTime() - index.expireAfterSeconds * 1000);
      let removed = 0;
      for (const id of expiredIds(view, index, deadline)) {
        const bytes = view.get(documentKey(collection.id, id));
        const document = bytes && decode(bytes);
        if (!document || !isExpired(document, index, deadline)) continue;
        removeRecord(view, collection, id, document);
        removed++;
      }
      hasMore ||= removed === MOST_AT_ONCE;
    }
  }
  return hasMore;
}

function expiredIds(view: WritableView, index: IndexDefinition, deadline: Date): Set<number> {
  const [prefix] = indexRange(index.id);
  const { from, to } = limitBounds(index, 0, { isLower: false, value: deadline });
  const ids = new Set<number>();
  for (const { value } of view.range(Buffer.concat([prefix, from]), Buffer.concat([prefix, to]))) {
    if (ids.add(recordIdOf(value)).size === MOST_AT_ONCE) break;
  }
  return ids;
}

/** The earliest date of an array counts; a document without a date never expires. */
function isExpired(document: Document, index: IndexDefinition, deadline: Date): boolean {
  const values = leaves(document, index.fields[0]?.parts ?? []).flat();
  return values.some((value) => value instanceof Date && value.getTime() <= deadline.getTime());
}
