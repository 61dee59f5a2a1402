import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { coalesced } from './coalesced.js';

describe('What many ask for at once', () => {
  it('is read twice, and never told as it was before the question', async () => {
    const share = coalesced<number>();
    let stored = 0;
    const ends: (() => void)[] = [];
    const read = () => {
      const seen = stored;
      return new Promise<number>((resolve) => ends.push(() => resolve(seen)));
    };
    const first = share('a', read);
    const rest = Array.from({ length: 1_000 }, () => share('a', read));
    stored = 1;
    rest.push(share('a', read));
    ends[0]?.();
    expect(await first).toBe(0);
    await expect.poll(() => ends.length).toBe(2);
    stored = 2;
    const last = share('a', read);
    ends[1]?.();
    expect(new Set(await Promise.all(rest))).toEqual(new Set([1]));
    await expect.poll(() => ends.length).toBe(3);
    ends[2]?.();
    expect(await last).toBe(2);
    const later = share('a', read);
    ends[3]?.();
    expect(await later, 'when nothing is under way').toBe(2);
    expect(ends.length).toBe(4);
  });

  it('is another thing by another key', async () => {
    const share = coalesced<string>();
    const asked = ['a', 'b', 'a', 'b'].map((key) => share(key, () => pause(5, key)));
    expect(await Promise.all(asked)).toEqual(['a', 'b', 'a', 'b']);
  });

  it('fails for those who shared a read that failed, and for nobody after', async () => {
    const share = coalesced<string>();
    let fails = true;
    const read = async () => {
      await pause(5);
      if (fails) throw new Error('away');
      return 'there';
    };
    const asked = await Promise.allSettled([share('a', read), share('a', read), share('a', read)]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    fails = false;
    expect(await share('a', read)).toBe('there');
  });

  it('is not waited for long behind a read that hangs, by whoever asks early or late', async () => {
    const share = coalesced<string>();
    const began = performance.now();
    void share('a', () => new Promise<string>(() => undefined));
    const early = share('a', () => Promise.resolve('there'));
    await pause(100);
    const later = share('a', () => Promise.resolve('somewhere else'));
    expect(await Promise.all([early, later])).toEqual(['there', 'there']);
    expect(performance.now() - began).toBeGreaterThan(150);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await share('a', () => Promise.resolve('there again'))).toBe('there again');
  });

  it('is read by who asks first in his own name, and for many in nobody’s', async () => {
    const share = coalesced<string | undefined>();
    const names = new AsyncLocalStorage<string>();
    const read = async () => {
      const name = names.getStore();
      await pause(5);
      return name;
    };
    const asked = ['Ada', 'Eve', 'Bob'].map((name) => names.run(name, () => share('a', read)));
    expect(await Promise.all(asked)).toEqual(['Ada', undefined, undefined]);
  });
});
