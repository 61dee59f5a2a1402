import { throttlerRecord } from './throttler-record.js';
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
export class RedisThrottlerStorage {
    redis;
    fallback;
    constructor(redis, fallback) {
        this.redis = redis;
        this.fallback = fallback;
    }
    async increment(key, ttl, limit, blockDuration, throttlerName) {
        try {
            const reply = await this.redis.run((client) => client.eval(INCREMENT, { keys: [this.redis.key(key)], arguments: [String(ttl)] }));
            const [hits, msToEnd] = reply;
            return throttlerRecord(hits, msToEnd, limit);
        }
        catch {
            return this.fallback.increment(key, ttl, limit, blockDuration, throttlerName);
        }
    }
}
//# sourceMappingURL=redis-throttler.storage.js.map