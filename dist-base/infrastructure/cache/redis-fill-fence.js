import { randomUUID } from 'node:crypto';
import { FENCE_TTL_MS, FillFence } from './fill-fence.js';
const FILL = `
if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;
/** For any number of processes. Writes the same JSON under the same key as the cache's own Redis store. */
export class RedisFillFence extends FillFence {
    redis;
    constructor(redis) {
        super();
        this.redis = redis;
    }
    async mark(key) {
        return (await this.redis.run((client) => client.get(this.fenceKey(key)))) ?? '';
    }
    async move(key) {
        // A random mark: a counter that expired would come back to a value that a slow reader remembers.
        await this.redis.run((client) => client.set(this.fenceKey(key), randomUUID(), { PX: FENCE_TTL_MS }));
    }
    async fillIfUnmoved(key, mark, value, ttlMs) {
        await this.redis.run((client) => client.eval(FILL, {
            keys: [this.redis.key(key), this.fenceKey(key)],
            arguments: [mark, JSON.stringify(value), String(ttlMs)],
        }));
    }
    /** The braces put the fence on the key's own node of a Redis cluster. */
    fenceKey(key) {
        return `fence:{${this.redis.key(key)}}`;
    }
}
//# sourceMappingURL=redis-fill-fence.js.map