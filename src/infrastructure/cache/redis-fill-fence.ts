import { randomUUID } from 'node:crypto';
import { batched, type RedisConnection } from '../redis/index.js';
import { FENCE_TTL_MS, FillFence } from './fill-fence.js';

/** By a script: `SET` takes `NX` and `GET` together from Redis 7.0 on alone. */
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

/** Of each fill the key and that of its fence; its mark, value and milliseconds. */
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

/** For any number of processes. Writes the same JSON under the same key as the cache's own Redis store. */
export class RedisFillFence extends FillFence {
  // What a request fills at once is one command, and so is what many do.
  private readonly markOf = batched((keys: readonly string[]) => this.marksOf(keys));
  private readonly fill = batched((fills: readonly Fill[]) => this.fillAll(fills));

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  mark(key: string): Promise<string> {
    return this.markOf(key);
  }

  async move(key: string): Promise<void> {
    // A random mark: a counter that expired would come back to a value that a slow reader remembers.
    await this.redis.run((client) => client.set(this.fenceKey(key), randomUUID(), { PX: FENCE_TTL_MS }));
  }

  fillIfUnmoved(key: string, mark: string, value: unknown, ttlMs: number): Promise<void> {
    return this.fill({ key, mark, value, ttlMs });
  }

  async removeAll(keyPrefix: string): Promise<void> {
    await this.redis.age(keyPrefix, Infinity);
  }

  private async marksOf(keys: readonly string[]): Promise<string[]> {
    // One of its own where there is none: a Redis that has lost its keys meanwhile has lost the moves too, and would
    // look as if there had been none.
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

  /** Instances of an earlier build, which may run beside, name it so. */
  private fenceKey(key: string): string {
    return this.redis.key(`fence:{${this.redis.key(key)}}`);
  }
}
