import { LRUCache } from 'lru-cache';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import type { Clock } from '../../common/clock/index.js';
import type { RequestCounter } from './request-counter.js';
import { throttlerRecord, type ThrottlerRecord } from './throttler-record.js';

/** Callers remembered at the same time; beyond it the longest unseen are forgotten, and memory stays bounded. */
const MAX_COUNTERS = 200_000;

/**
 * Fixed windows in this process: it limits one process's callers, not those of several instances. One number per
 * counter; the library's own storage keeps a timer per hit, and slows down with each.
 */
export class MemoryThrottlerStorage implements RequestCounter, OnCleanSlate {
  private readonly windows = new LRUCache<string, { hits: number; endsAtMs: number }>({ max: MAX_COUNTERS });

  constructor(private readonly clock: Clock) {}

  increment(key: string, ttl: number, limit: number): Promise<ThrottlerRecord> {
    return Promise.resolve(this.count(key, ttl, limit));
  }

  count(key: string, windowMs: number, limit: number): ThrottlerRecord {
    const nowMs = this.clock.nowMs();
    let window = this.windows.get(key);
    // A window that would last longer than one was begun by a clock that has been set back since.
    if (!window || window.endsAtMs <= nowMs || window.endsAtMs > nowMs + windowMs) {
      window = { hits: 0, endsAtMs: nowMs + windowMs };
      this.windows.set(key, window);
    }
    window.hits += 1;
    return throttlerRecord(window.hits, window.endsAtMs - nowMs, limit);
  }

  onCleanSlate(): void {
    this.windows.clear();
  }
}
