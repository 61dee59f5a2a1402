import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import type { RedisConnection } from '../../infrastructure/redis/index.js';
import type { RequestCounter } from './request-counter.js';
import { THROTTLING_KEYS } from './throttling-key.js';
import { throttlerRecord, type ThrottlerRecord } from './throttler-record.js';

/** One script, so that of any number of parallel requests exactly `limit` pass, and no counter is left without an end. */
const INCREMENT = `
local hits = redis.call('INCR', KEYS[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  ttl = tonumber(ARGV[1])
end
return {hits, ttl}`;

/**
 * Fixed windows in Redis, for all instances together. While Redis does not answer, `fallback` counts with the same
 * numbers: never unlimited, never a 500.
 */
export class RedisThrottlerStorage implements RequestCounter, OnCleanSlate {
  constructor(
    private readonly redis: RedisConnection,
    private readonly fallback: Pick<RequestCounter, 'count'> & Partial<OnCleanSlate>,
  ) {}

  increment(key: string, ttl: number, limit: number): Promise<ThrottlerRecord> {
    return this.count(key, ttl, limit);
  }

  async count(key: string, windowMs: number, limit: number): Promise<ThrottlerRecord> {
    try {
      const reply = await this.redis.evaluate(INCREMENT, [this.redis.key(key)], [String(windowMs)]);
      const [hits, msToEnd] = reply as [number, number];
      return throttlerRecord(hits, msToEnd, limit);
    } catch {
      return this.fallback.count(key, windowMs, limit);
    }
  }

  async onCleanSlate(): Promise<void> {
    await this.fallback.onCleanSlate?.();
    await this.redis.age(THROTTLING_KEYS, Infinity);
  }
}
