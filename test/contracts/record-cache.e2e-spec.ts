import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { createCache } from 'cache-manager';
import { fastify } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { keepRequestContext } from '../../src/common/http/index.js';
import { memoryStore, redisStore } from '../../src/infrastructure/cache/cache-stores.js';
import { MemoryFillFence } from '../../src/infrastructure/cache/memory-fill-fence.js';
import { RecordCache } from '../../src/infrastructure/cache/record-cache.js';
import { RedisFillFence } from '../../src/infrastructure/cache/redis-fill-fence.js';
import { Metrics } from '../../src/infrastructure/observability/index.js';
import { RedisConnection } from '../../src/infrastructure/redis/index.js';
import { redisUrl } from '../support/backends.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { describeTwins, newKeyPrefix, ownRedis } from '../support/twins.js';

interface Twin {
  cache: RecordCache;
  redis?: RedisConnection;
  close(): Promise<void>;
}

const inMemory = (): Twin => {
  const cache = createCache({ stores: [memoryStore()] });
  return {
    cache: new RecordCache(cache as never, new MemoryFillFence(cache as never), new Metrics()),
    close: () => Promise.resolve(),
  };
};

const inRedis = async (url?: string, prefix?: string): Promise<Twin> => {
  const redis = await ownRedis(url, prefix);
  const cache = createCache({ stores: [await redisStore(redis)] });
  return {
    cache: new RecordCache(cache as never, new RedisFillFence(redis), new Metrics()),
    redis,
    close: () => redis.close(),
  };
};

describeTwins(
  'Record cache',
  inMemory,
  () => inRedis(),
  (test, twin) => {
    let keys = 0;
    const nextKey = () => `record:${(keys += 1)}`;
    const read = async (key: string) => (await twin().cache.getMany([key]))[0];
    const record = { user: { _id: 'a', name: 'é😀' }, auth: { role: null } };

    test('yields what was filled, and undefined for a miss, in the order of the keys', async () => {
      const [a, b] = [nextKey(), nextKey()];
      await twin().cache.fill(await twin().cache.startFill(a), record, 60_000);
      expect(await twin().cache.getMany([b, a, b])).toEqual([undefined, record, undefined]);
    });

    test('yields to each of many readers at the same time what that one asked for', async () => {
      const known = Array.from({ length: 300 }, nextKey);
      await Promise.all(known.map((key) => twin().cache.put(key, { key }, 60_000)));
      const asked = known.map(
        (key, i) => [[key], [nextKey(), key], [key, known[0] as string, nextKey()]][i % 3] as string[],
      );
      const read = await Promise.all(asked.map((keys) => twin().cache.getMany(keys)));
      const expected = asked.map((keys) => keys.map((key) => (known.includes(key) ? { key } : undefined)));
      expect(read).toEqual(expected);
    });

    test('forgets what was invalidated', async () => {
      const key = nextKey();
      await twin().cache.fill(await twin().cache.startFill(key), record, 60_000);
      await twin().cache.invalidate(key);
      expect(await read(key)).toBeUndefined();
    });

    test('forgets a record when its time is over, and none before', async () => {
      const [short, long] = [nextKey(), nextKey()];
      await twin().cache.put(short, record, 500);
      await twin().cache.put(long, record, 60_000);
      expect(await twin().cache.getMany([short, long])).toEqual([record, record]);
      await expect.poll(() => read(short)).toBeUndefined();
      expect(await read(long)).toEqual(record);
    });

    test('forgets a whole family, and no record of another', async () => {
      const [ours, theirs] = [nextKey(), `other:${nextKey()}`];
      for (const key of [ours, theirs]) await twin().cache.fill(await twin().cache.startFill(key), record, 60_000);
      await twin().cache.forgetAll('record:');
      expect(await twin().cache.getMany([ours, theirs])).toEqual([undefined, record]);
    });

    test('shows a request what it read ahead, once, and nothing of what it has changed since', async () => {
      const [a, b] = [nextKey(), nextKey()];
      for (const key of [a, b]) await twin().cache.fill(await twin().cache.startFill(key), record, 60_000);
      const server = fastify();
      keepRequestContext(server);
      server.get('/', async () => {
        twin().cache.readAhead([a, b]);
        await twin().cache.invalidate(b);
        await twin().cache.forgetAll(a);
        return { changed: (await read(b)) ?? null, ahead: await read(a), later: (await read(a)) ?? null };
      });
      const answer = await server.inject('/');
      expect(answer.json()).toEqual({ changed: null, ahead: record, later: null });
      await server.close();
    });

    test('refuses a fill that began before an invalidation', async () => {
      const key = nextKey();
      const ticket = await twin().cache.startFill(key);
      await twin().cache.invalidate(key);
      await twin().cache.fill(ticket, record, 60_000);
      expect(await read(key)).toBeUndefined();
      await twin().cache.fill(await twin().cache.startFill(key), record, 60_000);
      expect(await read(key)).toEqual(record);
    });

    test('refuses a fill that began before a put', async () => {
      const key = nextKey();
      const ticket = await twin().cache.startFill(key);
      await twin().cache.put(key, { ended: 'logged_out' }, 60_000);
      await twin().cache.fill(ticket, { user: 'a' }, 60_000);
      expect(await read(key)).toEqual({ ended: 'logged_out' });
    });

    test('never shows an old value after an invalidation, however fills and invalidations cross', async () => {
      for (let round = 0; round < 50; round += 1) {
        const key = nextKey();
        const tickets = await Promise.all(Array.from({ length: 8 }, () => twin().cache.startFill(key)));
        await Promise.all([
          ...tickets.slice(0, 4).map((ticket) => twin().cache.fill(ticket, record, 60_000)),
          twin().cache.invalidate(key),
          ...tickets.slice(4).map((ticket) => twin().cache.fill(ticket, record, 60_000)),
        ]);
        expect(await read(key)).toBeUndefined();
      }
    });
  },
);

describe('Record cache in the process', () => {
  it('keeps nothing of a fill during which the record was invalidated', async () => {
    const cache = createCache({ stores: [memoryStore()] });
    let isSlow = true;
    const slow = {
      stores: cache.stores,
      set: async (...entry: Parameters<typeof cache.set>) => {
        if (isSlow) await pause(20);
        return cache.set(...entry);
      },
      del: (key: string) => cache.del(key),
    };
    const records = new RecordCache(slow as never, new MemoryFillFence(slow as never), new Metrics());
    const filling = records.fill(await records.startFill('a'), { version: 1 }, 60_000);
    await records.invalidate('a');
    await filling;
    expect(await records.getMany(['a'])).toEqual([undefined]);
    isSlow = false;
    await records.fill(await records.startFill('a'), { version: 2 }, 60_000);
    expect(await records.getMany(['a'])).toEqual([{ version: 2 }]);
  });
});

describe.skipIf(!redisUrl())('Record cache in Redis', () => {
  it('stores plain JSON under the very key, for the time it was told, though Redis has forgotten the scripts', async () => {
    const twin = await inRedis();
    const { client } = twin.redis as RedisConnection;
    await client.scriptFlush();
    const key = twin.redis?.key('user:auth:1') as string;
    await twin.cache.fill(await twin.cache.startFill('user:auth:1'), { user: 1 }, 3_600_000);
    expect(await client.get(key)).toBe('{"user":1}');
    expect(await client.pTTL(key)).toBeGreaterThan(3_590_000);
    await twin.cache.put('user:auth:1', { user: 2 }, 60_000);
    expect(await client.get(key)).toBe('{"user":2}');
    await twin.close();
  });

  it('takes damaged JSON for a miss, and goes on', async () => {
    const twin = await inRedis();
    await twin.redis?.client.set(twin.redis.key('a'), 'not json');
    await twin.redis?.client.set(twin.redis.key('b'), '{"sound":true}');
    expect(await twin.cache.getMany(['a', 'b'])).toEqual([undefined, { sound: true }]);
    expect(twin.redis?.isReady).toBe(true);
    await twin.close();
  });

  it('refuses to be flushed', async () => {
    const twin = await inRedis();
    await twin.redis?.client.set(twin.redis.key('kept'), '1');
    const cache = createCache({ stores: [await redisStore(twin.redis as RedisConnection)] });
    await expect(cache.clear()).rejects.toThrow(/never flushed/);
    expect(await twin.redis?.client.get(twin.redis.key('kept'))).toBe('1');
    await twin.close();
  });

  it('misses everything while Redis is away, without an error', async () => {
    const twin = await inRedis('redis://127.0.0.1:1');
    expect(await twin.cache.getMany(['a'])).toEqual([undefined]);
    await twin.cache.fill({ key: 'a', mark: '' }, record(), 60_000);
    await twin.cache.put('a', { ended: 'logged_out' }, 60_000);
    await twin.cache.fill(await twin.cache.startFill('b'), record(), 60_000);
    expect(await twin.cache.getMany(['a', 'b'])).toEqual([undefined, undefined]);
    expect(twin.redis?.failures, 'an operator sees it').toBeGreaterThan(0);
    await twin.close();
  });

  it('refuses a fill that began before an invalidation, though Redis has lost all its keys since', async () => {
    const twin = await inRedis();
    const ticket = await twin.cache.startFill('a');
    await twin.cache.put('a', { ended: 'logged_out' }, 60_000);
    await twin.redis?.age('', Infinity);
    await twin.cache.fill(ticket, record(), 60_000);
    expect(await twin.cache.getMany(['a'])).toEqual([undefined]);
    await twin.cache.fill(await twin.cache.startFill('a'), record(), 60_000);
    expect(await twin.cache.getMany(['a'])).toEqual([record()]);
    await twin.close();
  });

  it('hands on what Redis missed while it was frozen, asked or not, and keeps nobody waiting', async () => {
    const proxy = await TcpProxy.before(redisUrl() as string);
    const prefix = newKeyPrefix();
    const twin = await inRedis(proxy.redisUrl, prefix);
    twin.redis?.onBack(() => void twin.cache.replayMissedWrites());
    const other = await RedisConnection.open(redisUrl() as string, prefix);
    await twin.cache.put('a', record(), 60_000);
    proxy.freeze();
    await twin.cache.invalidate('a');
    const started = performance.now();
    for (let i = 0; i < 100; i += 1) expect(await twin.cache.getMany(['b'])).toEqual([undefined]);
    await twin.redis?.run((client) => client.get('b')).catch(() => undefined);
    // Each by itself would wait for 400 ms.
    expect(performance.now() - started).toBeLessThan(400);
    expect(await other.client.get(other.key('a'))).toBe(JSON.stringify(record()));
    proxy.restore();
    await expect.poll(() => other.client.get(other.key('a'))).toBeNull();
    await twin.close();
    await other.close();
    await proxy.close();
  });

  it('reads as fast in a long outage as in a short one, however much it has to hand on', async () => {
    const proxy = await TcpProxy.before(redisUrl() as string);
    const twin = await inRedis(proxy.redisUrl);
    twin.redis?.onLost(() => twin.cache.onStoreLost());
    proxy.cut();
    await expect.poll(() => twin.redis?.isReady).toBe(false);
    for (let i = 0; i < 30_000; i += 1) await twin.cache.invalidate(`key:${i}`);
    const started = performance.now();
    for (let i = 0; i < 200; i += 1) {
      await twin.cache.getMany(['key:0']);
      await pause(0);
    }
    // Looking through all of it took 10 ms each.
    expect(performance.now() - started).toBeLessThan(1_000);
    await twin.close();
    await proxy.close();
  });

  it('forgets in an outage what it has to hand on once that matters no more', async () => {
    const twin = await inRedis();
    (twin.redis as RedisConnection).isCutOff = true;
    for (let i = 0; i < 1_000; i += 1) await twin.cache.put(`key:${i}`, { ended: 'logged_out' }, 10);
    await pause(20);
    await twin.cache.invalidate('key:last');
    expect([...(Reflect.get(twin.cache, 'missedWrites') as Map<string, unknown>).keys()]).toEqual(['key:last']);
    await twin.close();
  });

  it('hands on thousands of missed writes once, however many read meanwhile, and says once that they wait', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    const warn = vi.spyOn(Logger.prototype, 'warn');
    redis.isCutOff = true;
    await Promise.all(Array.from({ length: 2_000 }, (_, i) => twin.cache.put(`key:${i}`, { i }, 60_000)));
    await twin.cache.put('short', record(), 1);
    expect(warn.mock.calls.map(([line]) => line as string)).toEqual([expect.stringMatching(/^Invalidations wait /)]);
    warn.mockRestore();
    await pause(5);
    redis.isCutOff = false;
    let commands = 0;
    const run = redis.run.bind(redis);
    redis.run = (command) => {
      commands += 1;
      return run(command);
    };
    const misses = await Promise.all(Array.from({ length: 200 }, () => twin.cache.getMany(['key:1999'])));
    expect(new Set(misses.flat())).toEqual(new Set([undefined]));
    await twin.cache.replayMissedWrites();
    // A mark and a value for each; what had expired is left out.
    expect(commands).toBe(4_000);
    expect(await twin.cache.getMany(['key:0', 'key:1999', 'short'])).toEqual([{ i: 0 }, { i: 1_999 }, undefined]);
    await twin.close();
  });

  it('hands on nothing older than what was written, missed or forgotten meanwhile', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    const whileAway = async (work: () => Promise<void>) => {
      redis.isCutOff = true;
      await work();
      redis.isCutOff = false;
    };
    await whileAway(() => twin.cache.put('forgotten', record(), 60_000));
    await twin.cache.forgetAll('forgotten');
    await whileAway(async () => {
      for (let i = 0; i <= 100; i += 1) await twin.cache.put(`key:${i}`, { i }, 60_000);
    });
    const run = redis.run.bind(redis);
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    redis.run = (command) => held.then(() => run(command));
    const replaying = twin.cache.replayMissedWrites();
    redis.run = run;
    // One whose turn has not come, and one whose mark is on its way.
    for (const key of ['key:100', 'key:1']) await twin.cache.put(key, { i: 'newer' }, 60_000);
    await whileAway(() => twin.cache.invalidate('key:0'));
    release();
    await replaying;
    await twin.cache.replayMissedWrites();
    const keys = ['forgotten', 'key:0', 'key:1', 'key:2', 'key:100'];
    const newer = { i: 'newer' };
    expect(await twin.cache.getMany(keys)).toEqual([undefined, undefined, newer, { i: 2 }, newer]);
    await twin.close();
  });

  it('keeps the newer of two writes that cross, whichever of them Redis misses', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    const run = redis.run.bind(redis);
    for (const isOlderMissed of [true, false]) {
      let release!: () => void;
      const held = new Promise<void>((resolve) => (release = resolve));
      // The second command of the older one, its value, is held up.
      let commands = 0;
      redis.run = async (command) => {
        commands += 1;
        if (commands === 1) return run(command);
        await held;
        if (isOlderMissed) throw new Error('missed');
        return run(command);
      };
      const older = twin.cache.put('key', { i: 'older' }, 60_000);
      await expect.poll(() => commands).toBe(2);
      redis.run = run;
      redis.isCutOff = !isOlderMissed;
      await twin.cache.put('key', { i: 'newer' }, 60_000);
      redis.isCutOff = false;
      release();
      await older;
      await twin.cache.replayMissedWrites();
      expect(await twin.cache.getMany(['key']), String(isOlderMissed)).toEqual([{ i: 'newer' }]);
    }
    await twin.close();
  });

  it('shows nothing after an invalidation that Redis missed, though a newer write is still under way', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    await twin.cache.put('key', record(), 60_000);
    const run = redis.run.bind(redis);
    const ends: { fail(): void; goOn(): void }[] = [];
    redis.run = (command) =>
      new Promise((resolve, reject) => {
        ends.push({ fail: () => reject(new Error('missed')), goOn: () => resolve(run(command)) });
      });
    const invalidated = twin.cache.invalidate('key');
    const put = twin.cache.put('key', { i: 'newer' }, 60_000);
    redis.run = run;
    ends[0]?.fail();
    await invalidated;
    expect(await twin.cache.getMany(['key'])).toEqual([undefined]);
    ends[1]?.goOn();
    await put;
    await twin.cache.replayMissedWrites();
    expect(await twin.cache.getMany(['key'])).toEqual([{ i: 'newer' }]);
    await twin.close();
  });

  const record = () => ({ user: 1 });
});
