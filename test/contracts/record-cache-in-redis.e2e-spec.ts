import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { createCache } from 'cache-manager';
import { describe, expect, it, vi } from 'vitest';
import { redisStore } from '../../src/infrastructure/cache/cache-stores.js';
import { RedisConnection } from '../../src/infrastructure/redis/index.js';
import { redisUrl } from '../support/backends.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { newKeyPrefix } from '../support/twins.js';
import { inRedis } from './record-cache-twins.js';

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
    await twin.cache.fill(await twin.cache.startFill('user:auth:1'), { user: 3 }, 36_000_000);
    expect(await client.get(key)).toBe('{"user":3}');
    expect(await client.pTTL(key), 'an hour at most').toBeLessThanOrEqual(3_600_000);
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
    for (let i = 0; i < 1_000; i += 1) await twin.cache.put(`key:${i}`, { ended: 'logged_out' }, 60_000);
    const anHourLater = performance.now() + 3_600_000;
    const now = vi.spyOn(performance, 'now').mockReturnValue(anHourLater);
    await twin.cache.invalidate('key:last').finally(() => now.mockRestore());
    expect([...(Reflect.get(twin.cache, 'missedWrites') as Map<string, unknown>).keys()]).toEqual(['key:last']);
    await twin.close();
  });

  it('hands on thousands of missed writes once, however many read meanwhile, and says once that they wait', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    const warn = vi.spyOn(Logger.prototype, 'warn');
    await Promise.all([0, 1_999].map((i) => twin.cache.put(`key:${i}`, record(), 60_000)));
    redis.isCutOff = true;
    await Promise.all(Array.from({ length: 2_000 }, (_, i) => twin.cache.put(`key:${i}`, { i }, 60_000)));
    expect(warn.mock.calls.map(([line]) => line as string)).toEqual([expect.stringMatching(/^Invalidations wait /)]);
    warn.mockRestore();
    redis.isCutOff = false;
    // It asks for a sign of life each second, which is none of what is counted.
    clearInterval(Reflect.get(redis, 'heartbeats') as NodeJS.Timeout);
    let commands = 0;
    const run = redis.run.bind(redis);
    redis.run = (command) => {
      commands += 1;
      return run(command);
    };
    const misses = await Promise.all(Array.from({ length: 200 }, () => twin.cache.getMany(['key:1999'])));
    expect(new Set(misses.flat())).toEqual(new Set([undefined]));
    await twin.cache.replayMissedWrites();
    // A mark and a removal for each.
    expect(commands).toBe(4_000);
    expect(await twin.cache.getMany(['key:0', 'key:1999'])).toEqual([undefined, undefined]);
    expect(await redis.client.get(redis.key('key:0')), 'the record of before').toBeNull();
    await twin.close();
  });

  it('hands on nothing that was forgotten meanwhile, and once more what was missed again while it was handed on', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    const whileAway = async (key: string) => {
      redis.isCutOff = true;
      await twin.cache.put(key, record(), 60_000);
      redis.isCutOff = false;
    };
    for (const key of ['key', 'forgotten']) await whileAway(key);
    await twin.cache.forgetAll('forgotten');
    const run = redis.run.bind(redis);
    let commands = 0;
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    redis.run = (command) => {
      commands += 1;
      return held.then(() => run(command));
    };
    const replaying = twin.cache.replayMissedWrites();
    redis.run = run;
    expect(commands, 'of the one key that is left').toBe(1);
    await whileAway('key');
    release();
    await replaying;
    expect(twin.cache.hasMissedWrites).toBe(true);
    await twin.cache.replayMissedWrites();
    expect(twin.cache.hasMissedWrites).toBe(false);
    await twin.close();
  });

  it('is waited for by a process that is about to end until it has handed on, or a bound', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    redis.isCutOff = true;
    await twin.cache.invalidate('missed');
    await twin.cache.untilHandedOn(300);
    expect(twin.cache.hasMissedWrites).toBe(true);
    const waiting = twin.cache.untilHandedOn();
    await pause(300);
    redis.isCutOff = false;
    await waiting;
    expect(twin.cache.hasMissedWrites).toBe(false);
    await twin.close();
  });

  it('hands on what a Redis that is used again may have lost, though it is handing on already', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    redis.isCutOff = true;
    await twin.cache.invalidate('missed');
    redis.isCutOff = false;
    await twin.cache.put('written', record(), 60_000);
    const run = redis.run.bind(redis);
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    redis.run = (command) => held.then(() => run(command));
    const replaying = twin.cache.replayMissedWrites();
    redis.run = run;
    const back = twin.cache.onStoreBack();
    release();
    await Promise.all([replaying, back]);
    expect(twin.cache.hasMissedWrites).toBe(false);
    expect(await redis.client.get(redis.key('written'))).toBeNull();
    await twin.close();
  });

  it('takes for lost by a Redis that is used again what it wrote in the minute before, and no more', async () => {
    const twin = await inRedis();
    const redis = twin.redis as RedisConnection;
    const start = performance.now();
    const writeAt = async (ms: number, key: string) => {
      const now = vi.spyOn(performance, 'now').mockReturnValue(start + ms);
      await twin.cache.put(key, record(), 600_000).finally(() => now.mockRestore());
    };
    for (const [ms, key] of [
      [0, 'a'],
      [2, 'b'],
      [60_001, 'c'],
    ] as const)
      await writeAt(ms, key);
    await twin.cache.onStoreBack();
    const left = await redis.client.mGet(['a', 'b', 'c'].map((key) => redis.key(key)));
    expect(left).toEqual([JSON.stringify(record()), null, null]);
    await twin.close();
  });

  it('shows nothing older than the newer of two writes that cross, whichever of them Redis misses', async () => {
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
      expect(await twin.cache.getMany(['key']), String(isOlderMissed)).toEqual([undefined]);
      await twin.cache.replayMissedWrites();
      expect(await twin.cache.getMany(['key']), String(isOlderMissed)).toEqual([undefined]);
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
    await twin.cache.replayMissedWrites();
    ends[1]?.goOn();
    await put;
    expect(await twin.cache.getMany(['key'])).toEqual([{ i: 'newer' }]);
    await twin.close();
  });

  const record = () => ({ user: 1 });
});
