import { type Clock, CLOCK_SKEW_MS } from '../../common/clock/index.js';
import type { RedisConnection } from '../../infrastructure/redis/index.js';
import { ATTEMPT_KEYS, AttemptCounter, delayAfter, FORGET_AFTER_MS } from './attempt-counter.js';

/** Length of the table of delays: with more attempts the delay does not grow any more. */
const DELAYS_END = 64;

const RESERVE = `
local now = tonumber(ARGV[1])
local wait = tonumber(redis.call('HGET', KEYS[1], 'blocked_until') or '0') - now
local was_set_back = now < tonumber(redis.call('HGET', KEYS[1], 'last') or '0') - ${CLOCK_SKEW_MS}
if wait > 0 and not was_set_back then return wait end
local attempts = redis.call('HINCRBY', KEYS[1], 'attempts', 1)
local delay = ARGV[2 + math.min(attempts, #ARGV - 2)]
redis.call('HSET', KEYS[1], 'blocked_until', string.format('%.0f', now + tonumber(delay)), 'last', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0`;

/** Nothing where a success has cleared the counter meanwhile. */
const GIVE_BACK = `
if tonumber(redis.call('HGET', KEYS[1], 'attempts') or '0') > 0 then redis.call('HINCRBY', KEYS[1], 'attempts', -1) end
return 0`;

/** Counts for all instances together. While Redis does not answer, `fallback` counts for this process. */
export class RedisAttemptCounter extends AttemptCounter {
  private readonly delays = Array.from({ length: DELAYS_END }, (_, i) => String(delayAfter(i + 1)));

  constructor(
    private readonly redis: RedisConnection,
    private readonly fallback: AttemptCounter,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async reserve(key: string): Promise<number> {
    try {
      const values = [String(this.clock.nowMs()), String(FORGET_AFTER_MS), ...this.delays];
      const waitMs = await this.redis.evaluate(RESERVE, [this.redis.key(key)], values);
      return Number(waitMs);
    } catch {
      return this.fallback.reserve(key);
    }
  }

  override async giveBack(key: string): Promise<void> {
    try {
      await this.redis.evaluate(GIVE_BACK, [this.redis.key(key)], []);
    } catch {
      await this.fallback.giveBack(key);
    }
  }

  override async clear(key: string): Promise<void> {
    await this.fallback.clear(key);
    await this.redis.run((client) => client.del(this.redis.key(key))).catch(() => undefined);
  }

  override async onCleanSlate(): Promise<void> {
    await this.fallback.onCleanSlate();
    await this.redis.age(ATTEMPT_KEYS, Infinity);
  }
}
