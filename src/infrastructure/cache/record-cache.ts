import { Logger } from '@nestjs/common';
import type { Cache } from '@nestjs/cache-manager';
import { currentRequest } from '../../common/http/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import type { Metrics } from '../observability/index.js';
import type { RecordStore } from './cache-stores.js';
import type { FillFence } from './fill-fence.js';

type Write = { kind: 'delete' } | { kind: 'put'; value: unknown; ttlMs: number };

/** No record lives longer: what was missed before that has gone by itself. */
const LONGEST_TTL_MS = 3_600_000;
const MADE_UP_AT_ONCE = 100;

/**
 * After an outage another process may find the way back later than this one, and until then the store lacks what that one has
 * to hand on: an attempt to connect and the pause before the next take 2 s each, and who sends nothing notices up to 1.4 s later.
 */
const ALL_BACK_WITHIN_MS = 5_000;

const WAITING = 'Invalidations wait for the cache to come back; until then records are read from storage';

/** What Redis is told, its replicas are told after the answer: one that takes its place may lack what came last. */
const REPLICAS_LAG_MS = 10_000;

interface MissedWrite {
  write: Write;
  /** By the monotonic clock. */
  expiresAtMs: number;
}

/** Permission to fill one key, taken before the storage is read. */
export interface FillTicket {
  key: string;
  /** null: the cache could not be asked, so nothing is filled. */
  mark: string | null;
}

/**
 * The cache of records that decide over access. It is never the reason for a failure: when the store behind it does
 * not answer, everything is a miss. It never serves what was invalidated through it, not even after an outage.
 */
export class RecordCache {
  private readonly logger = new Logger(RecordCache.name);
  /** Writes that the store missed while it was away. Until they are made up for, nothing is read from it. */
  private readonly missedWrites = new Map<string, MissedWrite>();
  /** The keys written within that time of the newest one, the oldest first, and when, by the monotonic clock. */
  private readonly lately = new Map<string, number>();
  /** Of those under way, the one of each key that began last. */
  private readonly newestWrites = new Map<string, MissedWrite>();
  private makingUp: Promise<void> | null = null;
  /** By the monotonic clock. */
  private believedFromMs = 0;
  private readonly store: RecordStore;

  private readonly reads;

  constructor(
    private readonly cache: Cache,
    private readonly fence: FillFence,
    metrics: Metrics,
  ) {
    this.store = cache.stores[0]?.store as RecordStore;
    this.reads = metrics.counters('record_cache_reads_total', 'Records asked of the cache, found or not', 'result', [
      'hit',
      'miss',
    ]);
  }

  /**
   * Begins to read records that the request at hand is about to ask for, so that they come with whatever else it asks
   * of Redis in the same moment. {@link getMany} then takes each of them from here, once.
   */
  readAhead(keys: string[]): void {
    const request = currentRequest();
    if (!request) return;
    const batch = { values: this.readMany(keys) };
    // Whoever asks when they are there has them at once.
    void andThen(batch.values, (values) => (batch.values = values));
    const ahead = (request.recordsAhead ??= new Map());
    for (const [place, key] of keys.entries()) ahead.set(key, { batch, place });
  }

  /**
   * @returns the values in the order of the keys, undefined for each miss; at once where they are in this process or were read
   *   ahead, else after one round trip at most.
   */
  getMany(keys: string[]): Promisable<unknown[]> {
    return andThen(takeAhead(keys) ?? this.readMany(keys), (read) => {
      // A replica answers what it is asked, and refuses a write: that of the limiter, sent in the same moment, may have shown it.
      const values = this.isBelieved ? read : keys.map(() => undefined);
      for (const value of values) this.reads[value === undefined ? 'miss' : 'hit'].inc();
      return values;
    });
  }

  /** To be called before the storage is read for a fill. */
  async startFill(key: string): Promise<FillTicket> {
    return { key, mark: await this.fence.mark(key).catch(() => null) };
  }

  /** Stores what was read, unless the key was invalidated or put since the ticket was taken. */
  async fill({ key, mark }: FillTicket, value: unknown, ttlMs: number): Promise<void> {
    if (mark === null) return;
    await this.fence.fillIfUnmoved(key, mark, value, ttlMs).catch(() => undefined);
  }

  /** Stores a value that is newer than anything a reader may be about to fill. */
  async put(key: string, value: unknown, ttlMs: number): Promise<void> {
    await this.writeOrRemember(key, { kind: 'put', value, ttlMs });
  }

  async invalidate(key: string): Promise<void> {
    await this.writeOrRemember(key, { kind: 'delete' });
  }

  /** For a clean slate: every record whose key begins so is gone, and what waited to be written. */
  async forgetAll(keyPrefix: string): Promise<void> {
    for (const key of this.missedWrites.keys()) if (key.startsWith(keyPrefix)) this.missedWrites.delete(key);
    await this.fence.removeAll(keyPrefix);
  }

  /** To be called as soon as the store can no longer be used. */
  onStoreLost(): void {
    this.believedFromMs = Infinity;
  }

  /** To be called as soon as the store is back after an outage, or is found by a process that may have begun in one. */
  onStoreBack(): Promise<void> {
    const nowMs = performance.now();
    this.believedFromMs = nowMs + ALL_BACK_WITHIN_MS;
    // Removed, and not put again: another instance may have put something newer.
    const removal: MissedWrite = { write: { kind: 'delete' }, expiresAtMs: nowMs + LONGEST_TTL_MS };
    for (const key of this.lately.keys()) if (!this.missedWrites.has(key)) this.missedWrites.set(key, removal);
    this.lately.clear();
    // What hands on already knows nothing of these.
    return Promise.resolve(this.makingUp).then(() => this.makeUpForMissedWrites());
  }

  /**
   * Hands on what the store missed, if it is back, so that other instances hear of it too.
   * Whoever reads meanwhile is not kept waiting: all is a miss.
   */
  makeUpForMissedWrites(): Promise<void> {
    this.makingUp ??= this.handOnMissedWrites()
      .catch(() => undefined)
      .finally(() => (this.makingUp = null));
    return this.makingUp;
  }

  private get isBelieved(): boolean {
    return this.missedWrites.size === 0 && performance.now() >= this.believedFromMs;
  }

  private readMany(keys: string[]): Promisable<unknown[]> {
    if (this.isBelieved) return this.store.valuesOf(keys);
    // Looking through all of them at each read would take long in a long outage.
    if (this.missedWrites.size > 0 && this.believedFromMs < Infinity) void this.makeUpForMissedWrites();
    return keys.map(() => undefined);
  }

  private async writeOrRemember(key: string, write: Write): Promise<void> {
    const ttlMs = write.kind === 'put' ? write.ttlMs : LONGEST_TTL_MS;
    const asMissed = { write, expiresAtMs: performance.now() + ttlMs };
    this.newestWrites.set(key, asMissed);
    // From now on an older one is not to be handed on any more: it could come behind this one.
    if (this.missedWrites.has(key)) this.missedWrites.set(key, asMissed);
    let isWritten = false;
    try {
      currentRequest()?.recordsAhead?.delete(key);
      await this.fence.move(key);
      await this.write(key, write);
      isWritten = true;
    } catch {
      if (this.missedWrites.size === 0) this.logger.warn(WAITING);
    }
    // One that began meanwhile stands for this one too. Until it is done nothing is read if this one failed.
    const newest = this.newestWrites.get(key);
    if (newest === asMissed) this.newestWrites.delete(key);
    if (!isWritten && newest) this.missedWrites.set(key, newest);
    if (isWritten && newest === asMissed) this.missedWrites.delete(key);
  }

  private async write(key: string, write: Write): Promise<void> {
    if (write.kind === 'put') await this.cache.set(key, write.value, write.ttlMs);
    else await this.cache.del(key);
    this.keepInMind(key);
  }

  private keepInMind(key: string): void {
    const nowMs = performance.now();
    this.lately.delete(key);
    this.lately.set(key, nowMs);
    for (const [oldest, writtenAtMs] of this.lately) {
      if (writtenAtMs > nowMs - REPLICAS_LAG_MS) break;
      this.lately.delete(oldest);
    }
  }

  private async handOnMissedWrites(): Promise<void> {
    for (const [key, { expiresAtMs }] of this.missedWrites) {
      if (expiresAtMs <= performance.now()) this.missedWrites.delete(key);
    }
    const missed = [...this.missedWrites];
    for (let start = 0; start < missed.length; start += MADE_UP_AT_ONCE) {
      await Promise.all(missed.slice(start, start + MADE_UP_AT_ONCE).map(([key, one]) => this.handOn(key, one)));
    }
  }

  private async handOn(key: string, missed: MissedWrite): Promise<void> {
    // A newer one may have been missed, or begun, since this began and meanwhile. What begins after the last look is sent later.
    if (this.missedWrites.get(key) !== missed) return;
    await this.fence.move(key);
    if (this.missedWrites.get(key) !== missed) return;
    await this.write(key, missed.write);
    if (this.missedWrites.get(key) === missed) this.missedWrites.delete(key);
  }
}

/** What was read ahead together, if that is all of it. Nothing is taken twice: a later look is to see later changes. */
function takeAhead(keys: string[]): Promisable<unknown[]> | null {
  const ahead = currentRequest()?.recordsAhead;
  if (!ahead) return null;
  const records = keys.map((key) => ahead.get(key));
  const batch = records[0]?.batch;
  if (!batch || records.some((record) => record?.batch !== batch)) return null;
  for (const key of keys) ahead.delete(key);
  return andThen(batch.values, (values) => records.map((record) => record && values[record.place]));
}
