import { describe, expect, it } from 'vitest';
import { RedisConnection } from '../../src/infrastructure/redis/index.js';
import { MemoryThrottlerStorage } from '../../src/security/throttling/memory-throttler.storage.js';
import { RedisThrottlerStorage } from '../../src/security/throttling/redis-throttler.storage.js';
import type { RequestCounter } from '../../src/security/throttling/request-counter.js';
import { redisUrl } from '../support/backends.js';
import { ManualClock } from '../support/manual-clock.js';
import { describeTwins, ownRedis, shortenLife } from '../support/twins.js';

interface Twin {
  storage: RequestCounter;
  /** Lets so much of a key's window pass. */
  pass(key: string, ms: number): Promise<void>;
  close(): Promise<void>;
}

const inMemory = (): Twin => {
  const clock = new ManualClock();
  return {
    storage: new MemoryThrottlerStorage(clock),
    pass: (_key, ms) => Promise.resolve(clock.advance(ms)),
    close: () => Promise.resolve(),
  };
};

const inRedis = async (): Promise<Twin> => {
  const redis = await ownRedis();
  return {
    storage: new RedisThrottlerStorage(redis, {
      count: () => Promise.reject(new Error('fell back')),
      giveBack: () => Promise.reject(new Error('fell back')),
    }),
    pass: (key, ms) => shortenLife(redis, key, ms),
    close: () => redis.close(),
  };
};

describeTwins('Throttler storage', inMemory, inRedis, (test, twin) => {
  let keys = 0;
  const nextKey = () => `throttle:${(keys += 1)}`;
  const hit = async (key: string, limit = 3, windowMs = 60_000) => twin().storage.count(key, windowMs, limit);

  test('counts every hit, and blocks beyond the limit', async () => {
    const key = nextKey();
    const records = [await hit(key), await hit(key), await hit(key), await hit(key)];
    expect(records.map(({ totalHits }) => totalHits)).toEqual([1, 2, 3, 4]);
    expect(records.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, true]);
  });

  test('counts the same when the library’s own guard asks', async () => {
    const key = nextKey();
    await hit(key);
    const { totalHits } = await twin().storage.increment(key, 60_000, 3, 0, 'default');
    expect(totalHits).toBe(2);
    expect(await hit(key)).toMatchObject({ totalHits: 3 });
  });

  test('tells whole seconds until the window ends, never fewer than one', async () => {
    const key = nextKey();
    expect((await hit(key)).timeToExpire).toBe(60);
    await twin().pass(key, 59_500);
    const record = await hit(key);
    expect(record.timeToExpire).toBe(1);
    expect(record.timeToBlockExpire).toBe(1);
  });

  test('begins a new window with the first hit after the end, blocked or not', async () => {
    const key = nextKey();
    for (let request = 0; request < 10; request += 1) await hit(key);
    await twin().pass(key, 60_000);
    expect(await hit(key)).toMatchObject({ totalHits: 1, isBlocked: false, timeToExpire: 60 });
  });

  test('keeps windows fixed: a later hit does not prolong them', async () => {
    const key = nextKey();
    await hit(key);
    await twin().pass(key, 40_000);
    expect((await hit(key)).timeToExpire).toBe(20);
  });

  test('takes hits back, in their window alone and none that was not counted', async () => {
    const key = nextKey();
    await twin().storage.giveBack(key);
    for (let request = 0; request < 4; request += 1) await hit(key);
    await twin().pass(key, 40_000);
    for (let request = 0; request < 3; request += 1) await twin().storage.giveBack(key);
    expect(await hit(key)).toMatchObject({ totalHits: 2, isBlocked: false, timeToExpire: 20 });
    for (let request = 0; request < 5; request += 1) await twin().storage.giveBack(key);
    expect(await hit(key)).toMatchObject({ totalHits: 1 });
    await twin().pass(key, 20_000);
    await twin().storage.giveBack(key);
    expect(await hit(key)).toMatchObject({ totalHits: 1, timeToExpire: 60 });
  });

  test('counts parallel hits exactly', async () => {
    const key = nextKey();
    const records = await Promise.all(Array.from({ length: 200 }, () => hit(key, 50)));
    expect(records.filter(({ isBlocked }) => !isBlocked).length).toBe(50);
    expect(new Set(records.map(({ totalHits }) => totalHits)).size).toBe(200);
  });

  test('lets no window last longer than its length, though the clock is set back', async () => {
    const key = nextKey();
    for (let request = 0; request < 4; request += 1) await hit(key);
    await twin().pass(key, -3_600_000);
    expect(await hit(key)).toMatchObject({ timeToExpire: 60 });
    await twin().pass(key, 60_000);
    expect(await hit(key)).toMatchObject({ totalHits: 1, timeToExpire: 60 });
  });

  test('keeps keys apart', async () => {
    const [a, b] = [nextKey(), nextKey()];
    await hit(a);
    expect((await hit(b)).totalHits).toBe(1);
  });

  test('keeps keys and their windows apart that are counted at the same time', async () => {
    const callers = Array.from({ length: 300 }, (_, i) => ({ key: nextKey(), windowMs: (i + 1) * 1_000 }));
    await Promise.all(callers.filter((_, i) => i % 3 === 0).map(({ key, windowMs }) => hit(key, 3, windowMs)));
    const records = await Promise.all(callers.map(({ key, windowMs }) => hit(key, 3, windowMs)));
    expect(records.map(({ totalHits }) => totalHits)).toEqual(callers.map((_, i) => (i % 3 === 0 ? 2 : 1)));
    for (const [i, { timeToExpire }] of records.entries()) {
      expect(timeToExpire).toBeLessThanOrEqual(i + 1);
      expect(timeToExpire).toBeGreaterThanOrEqual(Math.max(1, i - 1));
    }
  });
});

describe('Throttler storage in memory', () => {
  it('remembers two hundred thousand callers, and of more those who were seen last', async () => {
    const storage = new MemoryThrottlerStorage(new ManualClock());
    const hit = async (key: string) => (await storage.count(key, 60_000, 3)).totalHits;
    await hit('seen again');
    for (let caller = 1; caller < 200_000; caller += 1) await hit(String(caller));
    expect([await hit('seen again'), await hit('1')]).toEqual([2, 2]);
    await hit('one more');
    expect([await hit('seen again'), await hit('1'), await hit('2')]).toEqual([3, 3, 1]);
  });

  it('begins another window in the very millisecond in which one ends', () => {
    const clock = new ManualClock();
    clock.freeze();
    const storage = new MemoryThrottlerStorage(clock);
    const hitAfter = (ms: number) => {
      clock.advance(ms);
      return storage.count('caller', 60_000, 3).totalHits;
    };
    expect([hitAfter(0), hitAfter(59_999), hitAfter(1)]).toEqual([1, 2, 1]);
  });
});

describe.skipIf(!redisUrl())('Throttler storage in Redis', () => {
  it('gives a window an end that has lost its own', async () => {
    const redis = await ownRedis();
    const storage = new RedisThrottlerStorage(redis, new MemoryThrottlerStorage(new ManualClock()));
    await redis.client.set(redis.key('endless'), '7');
    expect(await storage.count('endless', 60_000, 3)).toMatchObject({
      totalHits: 8,
      timeToExpire: 60,
    });
    expect(await redis.client.pTTL(redis.key('endless'))).toBeGreaterThan(0);
    await redis.close();
  });
});

describe('Throttler storage in Redis, while Redis does not answer', () => {
  it('counts in this process with the same numbers', async () => {
    const redis = await RedisConnection.open('redis://127.0.0.1:1', '');
    try {
      const storage = new RedisThrottlerStorage(redis, new MemoryThrottlerStorage(new ManualClock()));
      const records = [];
      for (let request = 0; request < 4; request += 1) records.push(await storage.count('k', 60_000, 3));
      expect(records.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, true]);
    } finally {
      await redis.close();
    }
  });
});
