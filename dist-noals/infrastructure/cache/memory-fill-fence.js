import { LRUCache } from 'lru-cache';
import { FENCE_TTL_MS, FillFence } from './fill-fence.js';
/** For one process. */
export class MemoryFillFence extends FillFence {
    cache;
    marks = new LRUCache({ max: 50_000, ttl: FENCE_TTL_MS });
    moves = 0;
    constructor(cache) {
        super();
        this.cache = cache;
    }
    mark(key) {
        return Promise.resolve(this.marks.get(key) ?? '');
    }
    move(key) {
        this.moves += 1;
        this.marks.set(key, String(this.moves));
        return Promise.resolve();
    }
    async fillIfUnmoved(key, mark, value, ttlMs) {
        if ((this.marks.get(key) ?? '') !== mark)
            return;
        await this.cache.set(key, value, ttlMs);
        // The cache's set is asynchronous, so a move may have come in between.
        if ((this.marks.get(key) ?? '') !== mark)
            await this.cache.del(key);
    }
}
//# sourceMappingURL=memory-fill-fence.js.map