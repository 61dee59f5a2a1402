import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RedisConnection, RedisUnavailableError } from '../../src/infrastructure/redis/redis-connection.js';
import { redisUrl } from '../support/backends.js';
import { ownRedis } from '../support/twins.js';

const work = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

describe.skipIf(!redisUrl())('The connection to a healthy Redis', () => {
  let redis: RedisConnection;
  beforeEach(async () => {
    redis = await ownRedis();
    await redis.client.set(redis.key('page'), 'x'.repeat(2_000), { PX: 60_000 });
  });
  afterEach(() => redis.close());

  it('is not given up while this process is busy with its answers', async () => {
    let lost = 0;
    redis.onLost(() => (lost += 1));
    const ask = async () => {
      const page = await redis.run((client) => client.get(redis.key('page')));
      work(0.2);
      return page?.length;
    };
    for (let round = 0; round < 3; round += 1) {
      const lengths = await Promise.all(Array.from({ length: 5_000 }, ask));
      expect(new Set(lengths)).toEqual(new Set([2_000]));
    }
    expect([lost, redis.failures]).toEqual([0, 0]);
  });

  it('waits two seconds at most for an answer that does not come while others do, and it is busy', async () => {
    const began = performance.now();
    const others = setInterval(() => {
      redis.run((client) => client.ping()).catch(() => undefined);
      work(20);
    }, 1);
    await expect(redis.run(() => new Promise(() => undefined))).rejects.toThrow(RedisUnavailableError);
    clearInterval(others);
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect(performance.now() - began).toBeLessThan(3_500);
  });

  it('waits no longer than half a second for one that is slow, though others are answered', async () => {
    const began = performance.now();
    const others = setInterval(() => redis.run((client) => client.ping()).catch(() => undefined), 1);
    await expect(redis.run(() => new Promise(() => undefined))).rejects.toThrow(RedisUnavailableError);
    clearInterval(others);
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  it('waits no longer than half a second for one where nothing is answered', async () => {
    const began = performance.now();
    await redis.run((client) => client.ping());
    await expect(redis.run(() => new Promise(() => undefined))).rejects.toThrow(RedisUnavailableError);
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});
