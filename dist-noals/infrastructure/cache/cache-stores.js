import { KeyvAdapter } from 'cache-manager';
import { redisInsStore } from 'cache-manager-redis-yet';
import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
/** Records kept by one process; the least recently used go first. */
const MEMORY_ENTRIES = 50_000;
export function memoryStore() {
    const entries = new LRUCache({ max: MEMORY_ENTRIES });
    const store = {
        get: (key) => entries.get(key),
        set: (key, value) => entries.set(key, value),
        delete: (key) => entries.delete(key),
        clear: () => entries.clear(),
    };
    return new Keyv({ store, serialize: undefined, deserialize: undefined, useKeyPrefix: false });
}
/**
 * cache-manager-redis-yet on our own client, with four of its habits changed: a value is stored as its plain JSON (Keyv
 * would wrap it, and `user:auth:{id}` must have exactly its documented shape), a late Redis is a failure and not a
 * hang, damaged JSON is a miss, and `reset`, which is a FLUSHDB, is refused: the database may hold others' keys.
 */
export function redisStore(redis) {
    const plain = redisInsStore(redis.client);
    const adapter = new KeyvAdapter({
        ...plain,
        get: async (key) => wrap(await redis.run((client) => client.get(redis.key(key)))),
        mget: async (...keys) => (await redis.run((client) => client.mGet(keys.map((key) => redis.key(key))))).map(wrap),
        set: async (key, data, ttlMs) => {
            await redis.run(() => plain.set(redis.key(key), data.value, ttlMs));
        },
        del: async (key) => {
            await redis.run(() => plain.del(redis.key(key)));
        },
        reset: () => Promise.reject(new Error('The cache is never flushed: invalidate keys by name')),
    });
    const keyv = new Keyv({ store: adapter, useKeyPrefix: false, throwOnErrors: true });
    keyv.serialize = undefined;
    keyv.deserialize = undefined;
    return keyv;
}
function wrap(json) {
    if (json === null)
        return undefined;
    try {
        return { value: JSON.parse(json) };
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=cache-stores.js.map