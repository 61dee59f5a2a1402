import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import type { Clock } from '../../common/clock/index.js';
import { recentlyUsed } from '../../common/recently-used/index.js';
import { type RequestCounter, throttlerRecord, type ThrottlerRecord } from './request-counter.js';

/** Counters kept at the same time, so that memory is bounded; beyond it the least recently used are forgotten. */
const MAX_COUNTERS = 200_000;

/**
 * Fixed windows in this process; other instances count for themselves. It keeps one number for each counter, where the library's
 * own storage keeps a timer for each hit and slows down with every one.
 */
export class MemoryThrottlerStorage implements RequestCounter, OnCleanSlate {
  private readonly windows = recentlyUsed<{ hits: number; endsAtMs: number }>(MAX_COUNTERS);

  constructor(private readonly clock: Clock) {}

  increment(key: string, ttl: number, limit: number): Promise<ThrottlerRecord> {
    return Promise.resolve(this.count(key, ttl, limit));
  }

  count(key: string, windowMs: number, limit: number): ThrottlerRecord {
    const nowMs = this.clock.nowMs();
    let window = this.windows.get(key);
    // A window with more than its length left began before the clock was set back: begin a new one.
    if (!window || window.endsAtMs <= nowMs || window.endsAtMs > nowMs + windowMs) {
      window = { hits: 0, endsAtMs: nowMs + windowMs };
      this.windows.set(key, window);
    }
    window.hits += 1;
    return throttlerRecord(window.hits, window.endsAtMs - nowMs, limit);
  }

  giveBack(key: string): void {
    const window = this.windows.get(key);
    if (window) window.hits = Math.max(0, window.hits - 1);
  }

  onCleanSlate(): void {
    this.windows.clear();
  }
}
