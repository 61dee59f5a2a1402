import { KeyvAdapter } from 'cache-manager';
import { Keyv } from 'keyv';
import type { RedisClientType, SetOptions } from 'redis';
import type { Promisable } from '../../common/promisable/index.js';
import { recentlyUsed } from '../../common/recently-used/index.js';
import { batched, type RedisConnection } from '../redis/index.js';

/** Records that one process keeps; beyond it the least recently used are evicted. */
const MEMORY_ENTRIES = 50_000;

/** A Keyv store with a faster way to read. */
export interface RecordStore {
  /**
   * The values in the order of the keys; undefined for a miss, and for all keys if the store fails. Every request reads through
   * this: cache-manager and Keyv would make fourteen promises for it.
   */
  valuesOf(keys: string[]): Promisable<unknown[]>;
}

/** The store that {@link memoryStore} makes, which can list its keys. */
export interface LocalStore extends RecordStore {
  keys(): string[];
}

/** Keyv's wrapper around a value. */
interface Entry {
  value: unknown;
}

export function memoryStore(): Keyv {
  const entries = recentlyUsed<Entry>(MEMORY_ENTRIES, { ttlResolution: 0 });
  const store = {
    get: (key: string) => entries.get(key),
    getMany: (keys: string[]) => keys.map((key) => entries.get(key)),
    set: (key: string, entry: Entry, ttl?: number) => entries.set(key, entry, { ttl }),
    delete: (key: string) => entries.delete(key),
    clear: () => entries.clear(),
    keys: () => [...entries.keys()],
    valuesOf: (keys: string[]) => keys.map((key) => entries.get(key)?.value),
  };
  return new Keyv({ store, serialize: undefined, deserialize: undefined, useKeyPrefix: false });
}

/**
 * cache-manager-redis-yet on the service's own connection, changed in four ways: a value is stored as plain JSON (Keyv would
 * wrap it, and `user:auth:{id}` must have exactly its documented shape); a late answer is a failure, and nothing hangs; damaged
 * JSON is a miss; and `reset`, a FLUSHDB, is refused, since the database may hold keys of others.
 */
export async function redisStore(redis: RedisConnection): Promise<Keyv> {
  const { redisInsStore } = await import('cache-manager-redis-yet');
  const commands = {
    set: (key: string, json: string, options: SetOptions) => redis.run((client) => client.set(key, json, options)),
    del: (key: string) => redis.run((client) => client.del(key)),
  };
  const plain = redisInsStore(commands as unknown as RedisClientType);
  const readMany = (keys: string[]) => redis.run((client) => client.mGet(keys.map((key) => redis.key(key))));
  const adapter = new KeyvAdapter({
    ...plain,
    get: async <T>(key: string) => wrap(await redis.run((client) => client.get(redis.key(key)))) as T,
    mget: async (...keys: string[]) => (await readMany(keys)).map(wrap),
    set: (key: string, data: unknown, ttlMs?: number) =>
      plain.set(redis.key(key), (data as { value: unknown }).value, ttlMs),
    del: (key: string) => plain.del(redis.key(key)),
    reset: () => Promise.reject(new Error('The cache is never flushed: invalidate keys by name')),
  });
  const valuesOf: RecordStore['valuesOf'] = batched(async (asked) => {
    const texts = await readMany(asked.flat()).catch(() => []);
    let next = 0;
    return asked.map((keys) => keys.map(() => wrap(texts[next++] ?? null)?.value));
  });
  const store = Object.assign(adapter, { valuesOf });
  const keyv = new Keyv({ store, useKeyPrefix: false, throwOnErrors: true });
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  return keyv;
}

function wrap(json: string | null): { value: unknown } | undefined {
  if (json === null) return undefined;
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}
