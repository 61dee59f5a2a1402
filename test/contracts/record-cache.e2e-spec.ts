import { setTimeout as pause } from 'node:timers/promises';
import { createCache } from 'cache-manager';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { currentRequest, keepRequestContext } from '../../src/common/http/index.js';
import { memoryStore } from '../../src/infrastructure/cache/cache-stores.js';
import { MemoryFillFence } from '../../src/infrastructure/cache/memory-fill-fence.js';
import { RecordCache } from '../../src/infrastructure/cache/record-cache.js';
import { Metrics } from '../../src/infrastructure/observability/index.js';
import { describeTwins } from '../support/twins.js';
import { inMemory, inRedis } from './record-cache-twins.js';

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

  it.each([
    [4_500, 1_400],
    [1_000, 500],
    [400, 0],
  ])(
    'waits for a store that was just lost no longer than a request with %i ms left: %i ms',
    async (leftMs, waitedMs) => {
      const cache = createCache({ stores: [memoryStore()] });
      const lost = { move: () => Promise.reject(new Error('lost')) };
      const records = new RecordCache(cache, lost as never, new Metrics());
      const server = fastify();
      keepRequestContext(server);
      server.get('/', async () => {
        const startMs = performance.now();
        currentRequest()!.dueMs = startMs + leftMs;
        records.onStoreLost();
        for (let writes = 0; writes < 2; writes += 1) await records.invalidate('a');
        return { ms: performance.now() - startMs };
      });
      const { ms } = (await server.inject('/')).json() as { ms: number };
      await server.close();
      expect(ms).toBeGreaterThanOrEqual(waitedMs - 1);
      expect(ms).toBeLessThan(waitedMs + 400);
    },
  );
});
