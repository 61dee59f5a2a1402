import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../redis/index.js';
import { FENCE_TTL_MS, FillFence } from './fill-fence.js';

/** By a script: `SET` takes `NX` and `GET` together from Redis 7.0 on alone. */
const MARK = `
local mark = redis.call('GET', KEYS[1])
if mark then return mark end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`;

const FILL = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** For any number of processes. Writes the same JSON under the same key as the cache's own Redis store. */
export class RedisFillFence extends FillFence {
  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async mark(key: string): Promise<string> {
    // One of its own where there is none: a Redis that has lost its keys meanwhile has lost the moves too, and would
    // look as if there had been none.
    const own = [randomUUID(), String(FENCE_TTL_MS)];
    return (await this.redis.evaluate(MARK, [this.fenceKey(key)], own)) as string;
  }

  async move(key: string): Promise<void> {
    // A random mark: a counter that expired would come back to a value that a slow reader remembers.
    await this.redis.run((client) => client.set(this.fenceKey(key), randomUUID(), { PX: FENCE_TTL_MS }));
  }

  async fillIfUnmoved(key: string, mark: string, value: unknown, ttlMs: number): Promise<void> {
    const keys = [this.redis.key(key), this.fenceKey(key)];
    await this.redis.evaluate(FILL, keys, [mark, JSON.stringify(value), String(ttlMs)]);
  }

  async removeAll(keyPrefix: string): Promise<void> {
    await this.redis.age(keyPrefix, Infinity);
  }

  /** The braces put the fence on the key's own node of a Redis cluster. */
  private fenceKey(key: string): string {
    return this.redis.key(`fence:{${this.redis.key(key)}}`);
  }
}
