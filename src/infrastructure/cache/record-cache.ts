import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Cache } from '@nestjs/cache-manager';
import { currentRequest, msToWait } from '../../common/http/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import type { Metrics } from '../observability/index.js';
import { LOSS_NOTICED_WITHIN_MS } from '../redis/index.js';
import type { RecordStore } from './cache-stores.js';
import type { FillFence } from './fill-fence.js';

/** No record that grants access lives longer, so an older missed removal no longer matters. */
const LONGEST_TTL_MS = 3_600_000;
const REPLAYED_AT_ONCE = 100;
const HANDED_ON_POLL_MS = 200;

/**
 * After an outage other processes may reconnect later than this one, and until they have replayed their missed writes the store
 * is out of date. Connecting and the pause before the next attempt take up to 2 s each; an idle process notices up to 1.4 s later.
 */
const ALL_REPLAYED_WITHIN_MS = 5_000;

const NOTICED_POLL_MS = 20;

const WAITING = 'Invalidations wait for the cache to come back; until then records are read from storage';

/**
 * How much a Redis that is used again may have missed: a replica that takes over lags, and a server that starts has what its last
 * snapshot had. In either, records keep the time at which they expire, and none that lets anybody in (sessions, API keys) lives longer.
 */
const MISSED_AT_MOST_MS = 60_000;

/** A new object for each: a replay tells by it whether the key was missed once more meanwhile. */
interface MissedWrite {
  /** From when on no record of before can be left, on the monotonic clock. */
  expiresAtMs: number;
}

/** Permission to fill one key, taken before the storage is read. */
export interface FillTicket {
  key: string;
  /** null if the cache could not be asked; then nothing is filled. */
  mark: string | null;
}

/**
 * The cache of the records that decide about access. It never fails: when the store behind it does not answer, every read is
 * a miss. It never returns a value that was invalidated through it, not even after an outage.
 */
export class RecordCache {
  private readonly logger = new Logger(RecordCache.name);
  /**
   * Writes that the store missed during an outage, by key. Until all are replayed, nothing is read from the store. They are
   * replayed as removals, whatever they were: another instance may have put a newer value, and storage has the newest.
   */
  private readonly missedWrites = new Map<string, MissedWrite>();
  /** When each key was last written, for the last {@link MISSED_AT_MOST_MS}, oldest first, on the monotonic clock. */
  private readonly recentWrites = new Map<string, number>();
  private replaying: Promise<void> | null = null;
  private lostAtMs = -Infinity;
  /** From when on the store's answers are used, on the monotonic clock. */
  private trustedFromMs = 0;
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
   * Begins to read records that the current request will need, in the same round trip as its other commands to Redis.
   * {@link getMany} then takes each of them from here, once.
   */
  readAhead(keys: string[]): void {
    const request = currentRequest();
    if (!request) return;
    const batch = { values: this.readMany(keys) };
    // Once they have arrived, they are given without a promise.
    void andThen(batch.values, (values) => (batch.values = values));
    const ahead = (request.recordsAhead ??= new Map());
    for (const [place, key] of keys.entries()) ahead.set(key, { batch, place });
  }

  /**
   * @returns the values in the order of the keys, undefined for a miss; without a promise if they are in this process or were
   *   read ahead, else after one round trip
   */
  getMany(keys: string[]): Promisable<unknown[]> {
    return andThen(takeAhead(keys) ?? this.readMany(keys), (read) => {
      // A Redis that became a replica answers reads and refuses writes: the limiter's write, sent together with this read, may
      // have shown that meanwhile.
      const values = this.isTrusted ? read : keys.map(() => undefined);
      for (const value of values) this.reads[value === undefined ? 'miss' : 'hit'].inc();
      return values;
    });
  }

  /** To be called before reading from storage what is to be filled. */
  async startFill(key: string): Promise<FillTicket> {
    return { key, mark: await this.fence.mark(key).catch(() => null) };
  }

  /**
   * Stores what was read, unless the key was invalidated or put since the ticket was taken.
   * @param ttlMs an hour at most: for so long the writes that an outage kept from the store are repeated
   */
  async fill({ key, mark }: FillTicket, value: unknown, ttlMs: number): Promise<void> {
    if (mark === null) return;
    await this.fence.fillIfUnmoved(key, mark, value, Math.min(ttlMs, LONGEST_TTL_MS)).catch(() => undefined);
  }

  /** Stores a value that is newer than whatever a reader may be about to fill. */
  async put(key: string, value: unknown, ttlMs: number): Promise<void> {
    await this.writeOrRemember(key, () => this.cache.set(key, value, ttlMs));
  }

  async invalidate(key: string): Promise<void> {
    await this.writeOrRemember(key, () => this.cache.del(key));
  }

  /** For a clean slate: removes every record whose key begins with the prefix, and writes of such keys that wait. */
  async forgetAll(keyPrefix: string): Promise<void> {
    for (const key of this.missedWrites.keys()) if (key.startsWith(keyPrefix)) this.missedWrites.delete(key);
    await this.fence.removeAll(keyPrefix);
  }

  /** To be called as soon as the store can no longer be used. */
  onStoreLost(): void {
    this.trustedFromMs = Infinity;
    this.lostAtMs = performance.now();
  }

  /** To be called as soon as the store can be used again, and in a new process, which may have started during an outage. */
  onStoreBack(): Promise<void> {
    this.trustedFromMs = performance.now() + ALL_REPLAYED_WITHIN_MS;
    for (const key of this.recentWrites.keys()) this.rememberAsMissed(key);
    this.recentWrites.clear();
    // A replay that is already running does not include these.
    return Promise.resolve(this.replaying).then(() => this.replayMissedWrites());
  }

  /**
   * Replays the missed writes if the store is back, so that other instances see them too. Reads do not wait for it: until it
   * is done they miss.
   */
  replayMissedWrites(): Promise<void> {
    this.replaying ??= this.replayAll()
      .catch(() => undefined)
      .finally(() => (this.replaying = null));
    return this.replaying;
  }

  /** Whether the store has missed a removal that was written here, and other processes may still use the record. */
  get hasMissedWrites(): boolean {
    return this.missedWrites.size > 0;
  }

  /**
   * For a process that is about to end: waits until the store has the writes that it missed, or no record of before them is left that
   * lets anybody in, which is a minute at most.
   * @param withinMs how long it waits
   */
  async untilHandedOn(withinMs = MISSED_AT_MOST_MS): Promise<void> {
    const endMs = performance.now() + withinMs;
    while (this.hasMissedWrites && performance.now() < endMs) {
      await pause(HANDED_ON_POLL_MS);
      await this.replayMissedWrites();
    }
  }

  private get isTrusted(): boolean {
    return this.missedWrites.size === 0 && performance.now() >= this.trustedFromMs;
  }

  private readMany(keys: string[]): Promisable<unknown[]> {
    if (this.isTrusted) return this.store.valuesOf(keys);
    // Not during an outage, in which each read would go through all missed writes in vain.
    if (this.missedWrites.size > 0 && this.trustedFromMs < Infinity) void this.replayMissedWrites();
    return keys.map(() => undefined);
  }

  private async writeOrRemember(key: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await this.write(key, write);
    } catch {
      if (this.missedWrites.size === 0) this.logger.warn(WAITING);
      this.rememberAsMissed(key);
      await this.untilNoticed(key);
    }
  }

  /**
   * A store that pauses for less than 1.4 s is asked by others who have noticed nothing, and answers them with what it had before:
   * waits until it has what it missed, or everybody reads from storage, but no longer than the request's answer can wait.
   */
  private async untilNoticed(key: string): Promise<void> {
    const endMs = Math.min(this.lostAtMs + LOSS_NOTICED_WITHIN_MS, performance.now() + msToWait());
    while (this.missedWrites.has(key) && performance.now() < endMs) await pause(NOTICED_POLL_MS);
  }

  private async write(key: string, write: () => Promise<unknown>): Promise<void> {
    currentRequest()?.recordsAhead?.delete(key);
    await this.fence.move(key);
    await write();
    this.rememberAsRecent(key);
  }

  private rememberAsMissed(key: string): void {
    const nowMs = performance.now();
    this.missedWrites.delete(key);
    this.missedWrites.set(key, { expiresAtMs: nowMs + LONGEST_TTL_MS });
    // However long the outage, it holds no more than was written within the longest lifetime of an entry.
    for (const [oldest, { expiresAtMs }] of this.missedWrites) {
      if (expiresAtMs > nowMs) break;
      this.missedWrites.delete(oldest);
    }
  }

  private rememberAsRecent(key: string): void {
    const nowMs = performance.now();
    this.recentWrites.delete(key);
    this.recentWrites.set(key, nowMs);
    for (const [oldest, writtenAtMs] of this.recentWrites) {
      if (writtenAtMs > nowMs - MISSED_AT_MOST_MS) break;
      this.recentWrites.delete(oldest);
    }
  }

  private async replayAll(): Promise<void> {
    for (const [key, { expiresAtMs }] of this.missedWrites) {
      if (expiresAtMs <= performance.now()) this.missedWrites.delete(key);
    }
    const missed = [...this.missedWrites];
    for (let start = 0; start < missed.length; start += REPLAYED_AT_ONCE) {
      await Promise.all(missed.slice(start, start + REPLAYED_AT_ONCE).map(([key, one]) => this.replay(key, one)));
    }
  }

  private async replay(key: string, missed: MissedWrite): Promise<void> {
    await this.write(key, () => this.cache.del(key));
    if (this.missedWrites.get(key) === missed) this.missedWrites.delete(key);
  }
}

/** The values of these keys if all were read ahead together. They are taken once only: a later read must see later changes. */
function takeAhead(keys: string[]): Promisable<unknown[]> | null {
  const ahead = currentRequest()?.recordsAhead;
  if (!ahead) return null;
  const records = keys.map((key) => ahead.get(key));
  const batch = records[0]?.batch;
  if (!batch || records.some((record) => record?.batch !== batch)) return null;
  for (const key of keys) ahead.delete(key);
  return andThen(batch.values, (values) => records.map((record) => record && values[record.place]));
}
