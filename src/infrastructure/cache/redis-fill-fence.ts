import { randomUUID } from 'node:crypto';
import { batched, type RedisConnection } from '../redis/index.js';
import { FENCE_TTL_MS, FillFence } from './fill-fence.js';

/** A script, because `SET` accepts `NX` together with `GET` only from Redis 7.0 on. */
const MARK = `
local marks = {}
for i, key in ipairs(KEYS) do
  marks[i] = redis.call('GET', key)
  if not marks[i] then
    marks[i] = ARGV[i + 1]
    redis.call('SET', key, marks[i], 'PX', ARGV[1])
  end
end
return marks`;

/** KEYS: of each fill its key and the key of its fence. ARGV: of each fill its mark, value and lifetime in milliseconds. */
const FILL = `
for i = 1, #KEYS / 2 do
  if redis.call('GET', KEYS[2 * i]) == ARGV[3 * i - 2] then
    redis.call('SET', KEYS[2 * i - 1], ARGV[3 * i - 1], 'PX', ARGV[3 * i])
  end
end`;

interface Fill {
  key: string;
  mark: string;
  value: unknown;
  ttlMs: number;
}

/** The fence of any number of processes. Writes the same JSON under the same key as the cache's own Redis store. */
export class RedisFillFence extends FillFence {
  // All fills of one turn of the event loop, of one request or many, become one command.
  private readonly markOf = batched((keys: readonly string[]) => this.marksOf(keys));
  private readonly fill = batched((fills: readonly Fill[]) => this.fillAll(fills));

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  mark(key: string): Promise<string> {
    return this.markOf(key);
  }

  async move(key: string): Promise<void> {
    // A random mark: an expired counter would start anew, and reach a value again that a slow reader still holds.
    await this.redis.run((client) => client.set(this.fenceKey(key), randomUUID(), { PX: FENCE_TTL_MS }));
  }

  fillIfUnmoved(key: string, mark: string, value: unknown, ttlMs: number): Promise<void> {
    return this.fill({ key, mark, value, ttlMs });
  }

  async removeAll(keyPrefix: string): Promise<void> {
    await this.redis.age(keyPrefix, Infinity);
  }

  private async marksOf(keys: readonly string[]): Promise<string[]> {
    // Where there is no mark, the reader sets one. Otherwise a Redis that lost its keys during the read, and with them a move,
    // would look as if there had been no move.
    const own = keys.map(() => randomUUID());
    const fences = keys.map((key) => this.fenceKey(key));
    return (await this.redis.evaluate(MARK, fences, [String(FENCE_TTL_MS), ...own])) as string[];
  }

  private async fillAll(fills: readonly Fill[]): Promise<undefined[]> {
    const keys = fills.flatMap(({ key }) => [this.redis.key(key), this.fenceKey(key)]);
    const values = fills.flatMap(({ mark, value, ttlMs }) => [mark, JSON.stringify(value), String(ttlMs)]);
    await this.redis.evaluate(FILL, keys, values);
    return fills.map(() => undefined);
  }

  /** All instances must use the same name, those of another release included. (The braces have no function.) */
  private fenceKey(key: string): string {
    return this.redis.key(`fence:{${this.redis.key(key)}}`);
  }
}
