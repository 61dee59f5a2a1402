import { describe, expect, it } from 'vitest';
import { RedisConnection } from '../../src/infrastructure/redis/index.js';
import { AccountBackoff } from '../../src/security/backoff/account-backoff.js';
import type { AttemptCounter } from '../../src/security/backoff/attempt-counter.js';
import { MemoryAttemptCounter } from '../../src/security/backoff/memory-attempt-counter.js';
import { RedisAttemptCounter } from '../../src/security/backoff/redis-attempt-counter.js';
import { DAY, HOUR, ManualClock, MINUTE, SECOND } from '../support/manual-clock.js';
import { describeTwins, ownRedis, shortenLife } from '../support/twins.js';

const FREE_ATTEMPTS = 20;

interface Twin {
  counter: AttemptCounter;
  clock: ManualClock;
  /** Lets so much time pass for a key. */
  pass(key: string, ms: number): Promise<void>;
  close(): Promise<void>;
}

const stoppedClock = () => {
  const clock = new ManualClock();
  clock.freeze();
  return clock;
};

const inMemory = (): Twin => {
  const clock = stoppedClock();
  return {
    counter: new MemoryAttemptCounter(clock),
    clock,
    pass: (_key, ms) => Promise.resolve(clock.advance(ms)),
    close: () => Promise.resolve(),
  };
};

const inRedis = async (): Promise<Twin> => {
  const clock = stoppedClock();
  const redis = await ownRedis();
  const fallback = new MemoryAttemptCounter(clock);
  fallback.reserve = () => Promise.reject(new Error('fell back'));
  return {
    counter: new RedisAttemptCounter(redis, fallback, clock),
    clock,
    pass: (key, ms) => {
      clock.advance(ms);
      return shortenLife(redis, key, ms);
    },
    close: () => redis.close(),
  };
};

describeTwins('Attempt counter', inMemory, inRedis, (test, twin) => {
  let keys = 0;
  const nextKey = () => `attempts:${(keys += 1)}`;
  /** @returns what each of so many attempts in a row has to wait */
  const attempt = async (key: string, count = 1) => {
    const waits: number[] = [];
    for (let i = 0; i < count; i += 1) waits.push(await twin().counter.reserve(key));
    return waits;
  };
  const none = (count: number) => Array.from({ length: count }, () => 0);

  test('lets twenty attempts go free, and the next one wait for a second', async () => {
    const key = nextKey();
    expect(await attempt(key, FREE_ATTEMPTS)).toEqual(none(FREE_ATTEMPTS));
    expect(await attempt(key)).toEqual([SECOND]);
    await twin().pass(key, SECOND - 1);
    expect(await attempt(key)).toEqual([1]);
    await twin().pass(key, 1);
    expect(await attempt(key)).toEqual([0]);
  });

  test('doubles the delay with each attempt, up to an hour, and counts none that comes too early', async () => {
    const key = nextKey();
    await attempt(key, FREE_ATTEMPTS);
    for (let delay = SECOND; ; delay = Math.min(2 * delay, HOUR)) {
      expect(await attempt(key, 3)).toEqual([delay, delay, delay]);
      await twin().pass(key, delay);
      expect(await attempt(key)).toEqual([0]);
      if (delay === HOUR) break;
    }
    expect(await attempt(key)).toEqual([HOUR]);
  });

  test('remembers for a day after the last attempt, and no longer', async () => {
    const key = nextKey();
    await attempt(key, FREE_ATTEMPTS - 1);
    await twin().pass(key, DAY - MINUTE);
    expect(await attempt(key, 2)).toEqual([0, SECOND]);
    await twin().pass(key, DAY - MINUTE);
    expect(await attempt(key, 2)).toEqual([0, 2 * SECOND]);
    await twin().pass(key, DAY);
    expect(await attempt(key, FREE_ATTEMPTS)).toEqual(none(FREE_ATTEMPTS));
  });

  test('holds up nobody for longer than the longest delay, though the clock was set back', async () => {
    const key = nextKey();
    await attempt(key, FREE_ATTEMPTS);
    twin().clock.advance(-10 * HOUR);
    expect(await attempt(key, 2)).toEqual([0, 2 * SECOND]);
  });

  test('makes no delay longer when the clock is set back, beyond by what clocks differ', async () => {
    const key = nextKey();
    await attempt(key, FREE_ATTEMPTS);
    twin().clock.advance(-MINUTE);
    expect(await attempt(key)).toEqual([MINUTE + SECOND]);
    twin().clock.advance(-SECOND);
    expect(await attempt(key, 2)).toEqual([0, 2 * SECOND]);
  });

  test('begins anew once cleared, and for that key alone', async () => {
    const [key, other] = [nextKey(), nextKey()];
    for (const one of [key, other]) await attempt(one, FREE_ATTEMPTS);
    await twin().counter.clear(key);
    expect(await attempt(key, FREE_ATTEMPTS)).toEqual(none(FREE_ATTEMPTS));
    expect(await attempt(other)).toEqual([SECOND]);
  });

  test('gives back attempts that were counted, and no more of them than there are', async () => {
    const key = nextKey();
    await attempt(key, 3);
    for (let i = 0; i < 2; i += 1) await twin().counter.giveBack(key);
    expect(await attempt(key, FREE_ATTEMPTS)).toEqual([...none(FREE_ATTEMPTS - 1), SECOND]);
    await twin().counter.clear(key);
    await attempt(key);
    for (let i = 0; i < 3; i += 1) await twin().counter.giveBack(key);
    expect(await attempt(key, FREE_ATTEMPTS + 1)).toEqual([...none(FREE_ATTEMPTS), SECOND]);
  });

  test('lets of parallel attempts pass as many as of those in a row', async () => {
    const key = nextKey();
    const waits = await Promise.all(Array.from({ length: 100 }, () => twin().counter.reserve(key)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(FREE_ATTEMPTS);
  });
});

describe('Attempts at a name that nobody has', () => {
  it('are counted under a digest of it: it may be a password that was typed into the wrong field', async () => {
    const counter = new MemoryAttemptCounter(stoppedClock());
    const reserve = counter.reserve.bind(counter);
    const keys: string[] = [];
    counter.reserve = (key) => {
      keys.push(key);
      return reserve(key);
    };
    await new AccountBackoff(counter).reserveAttempt({ name: 'Correct-Horse7@' });
    expect(keys).toEqual([expect.stringMatching(/^attempts:name:[\w-]{43}$/)]);
  });
});

describe('Attempt counter in Redis, while Redis does not answer', () => {
  it('counts in this process, gives back, and can be cleared', async () => {
    const clock = stoppedClock();
    const redis = await RedisConnection.open('redis://127.0.0.1:1', '');
    try {
      const counter = new RedisAttemptCounter(redis, new MemoryAttemptCounter(clock), clock);
      await counter.reserve('k');
      await counter.giveBack('k');
      for (let i = 0; i < FREE_ATTEMPTS; i += 1) expect(await counter.reserve('k')).toBe(0);
      expect(await counter.reserve('k')).toBe(SECOND);
      await counter.clear('k');
      expect(await counter.reserve('k')).toBe(0);
    } finally {
      await redis.close();
    }
  });
});
