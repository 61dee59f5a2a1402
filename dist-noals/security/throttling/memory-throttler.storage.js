import { LRUCache } from 'lru-cache';
import { throttlerRecord } from './throttler-record.js';
/** Callers remembered at the same time; beyond it the longest unseen are forgotten, and memory stays bounded. */
const MAX_COUNTERS = 200_000;
/**
 * Fixed windows in this process: it limits one process's callers, not those of several instances. One number per
 * counter; the library's own storage keeps a timer per hit, and slows down with each.
 */
export class MemoryThrottlerStorage {
    clock;
    windows = new LRUCache({ max: MAX_COUNTERS });
    constructor(clock) {
        this.clock = clock;
    }
    increment(key, ttl, limit) {
        const nowMs = this.clock.nowMs();
        let window = this.windows.get(key);
        if (!window || window.endsAtMs <= nowMs) {
            window = { hits: 0, endsAtMs: nowMs + ttl };
            this.windows.set(key, window);
        }
        window.hits += 1;
        return Promise.resolve(throttlerRecord(window.hits, window.endsAtMs - nowMs, limit));
    }
}
//# sourceMappingURL=memory-throttler.storage.js.map