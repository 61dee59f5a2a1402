import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { batched, type RedisConnection } from '../../infrastructure/redis/index.js';
import { THROTTLING_KEYS } from './throttling-key.js';
import { type RequestCounter, throttlerRecord, type ThrottlerRecord } from './request-counter.js';

/**
 * A script is atomic: of any number of parallel requests exactly `limit` pass, and no counter is left without an expiry. No
 * window lasts longer than its length, which it would if the clock of Redis was set back, or settings had a longer one before; its hits
 * stay counted.
 */
const INCREMENT = `
local windows = {}
for i, key in ipairs(KEYS) do
  local hits = redis.call('INCR', key)
  local ttl = redis.call('PTTL', key)
  if ttl < 0 or ttl > tonumber(ARGV[i]) then
    redis.call('PEXPIRE', key, ARGV[i])
    ttl = tonumber(ARGV[i])
  end
  windows[i] = {hits, ttl}
end
return windows`;

/** Nothing where the window has ended: the counter would have no expiry. */
const GIVE_BACK = `
local hits = tonumber(redis.call('GET', KEYS[1]) or '0')
if hits > 0 then redis.call('SET', KEYS[1], hits - 1, 'KEEPTTL') end
return 0`;

interface Hit {
  key: string;
  windowMs: number;
}

/** Hits in the current window of a counter, this one included, and milliseconds until it ends. */
type Window = [hits: number, msToEnd: number];

/**
 * Fixed windows in Redis, for all instances together. While Redis does not answer, `fallback` counts for this process with the
 * same limits, so that requests are never unlimited and never fail.
 */
export class RedisThrottlerStorage implements RequestCounter, OnCleanSlate {
  private readonly hit = batched((hits: readonly Hit[]) => this.countAll(hits));

  constructor(
    private readonly redis: RedisConnection,
    private readonly fallback: Pick<RequestCounter, 'count' | 'giveBack'> & Partial<OnCleanSlate>,
  ) {}

  increment(key: string, ttl: number, limit: number): Promise<ThrottlerRecord> {
    return this.count(key, ttl, limit);
  }

  count(key: string, windowMs: number, limit: number): Promise<ThrottlerRecord> {
    return this.hit({ key: this.redis.key(key), windowMs }).then(
      ([hits, msToEnd]) => throttlerRecord(hits, msToEnd, limit),
      () => this.fallback.count(key, windowMs, limit),
    );
  }

  async giveBack(key: string): Promise<void> {
    await this.redis.evaluate(GIVE_BACK, [this.redis.key(key)], []).catch(() => this.fallback.giveBack(key));
  }

  async onCleanSlate(): Promise<void> {
    await this.fallback.onCleanSlate?.();
    await this.redis.age(THROTTLING_KEYS, Infinity);
  }

  private async countAll(hits: readonly Hit[]): Promise<Window[]> {
    const keys = hits.map(({ key }) => key);
    const lengths = hits.map(({ windowMs }) => String(windowMs));
    return (await this.redis.evaluate(INCREMENT, keys, lengths)) as Window[];
  }
}
