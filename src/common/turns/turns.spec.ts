import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const LONG_MS = 60_000;

describe('Turns', () => {
  let begun: string[];
  let ends: Record<string, () => void>;
  beforeEach(() => {
    begun = [];
    ends = {};
  });

  /** Work that tells that it has begun, and ends when the test says so. */
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => (ends[name] = () => resolve(name)));
  };
  const end = async (name: string) => {
    ends[name]?.();
    await pause(5);
  };

  it('come one after the other, beside those of another key', async () => {
    const turns = new Turns(LONG_MS);
    const first = turns.take(['a'], work('first'));
    const second = turns.take(['a'], work('second'));
    const other = turns.take(['b'], work('other'));
    await pause(5);
    expect(begun).toEqual(['first', 'other']);
    await end('first');
    expect(begun).toEqual(['first', 'other', 'second']);
    await end('second');
    await end('other');
    expect(await Promise.all([first, second, other])).toEqual(['first', 'second', 'other']);
  });

  it('come after work that has failed, too', async () => {
    const turns = new Turns(LONG_MS);
    const failed = turns.take(['a'], () => Promise.reject(new Error('no')));
    const next = turns.take(['a'], () => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  it('of several keys come when all of them do', async () => {
    const turns = new Turns(LONG_MS);
    void turns.take(['a'], work('a'));
    void turns.take(['b'], work('b'));
    const both = turns.take(['a', 'b'], work('both'));
    await pause(5);
    await end('a');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'both']);
    await end('both');
    expect(await both).toBe('both');
  });

  it('that come too late are refused, and the next one still waits for those before', async () => {
    const turns = new Turns(20);
    void turns.take(['a'], work('first'));
    const late = turns.take(['a'], work('late'));
    await expect(late).rejects.toMatchObject({ code: 'service_unavailable' });
    const next = turns.take(['a'], work('next'));
    await end('first');
    expect(begun).toEqual(['first', 'next']);
    await end('next');
    expect(await next).toBe('next');
  });

  it('come after the rest that the one before has asked for', async () => {
    const turns = new Turns(LONG_MS);
    let stopRest = (): void => undefined;
    const rest = () => new Promise<void>((resolve) => (stopRest = resolve));
    const first = turns.take(['a'], () => Promise.resolve('first'), rest);
    const next = turns.take(['a'], work('next'));
    expect(await first).toBe('first');
    await pause(5);
    expect(begun).toEqual([]);
    stopRest();
    await pause(5);
    await end('next');
    expect(await next).toBe('next');
  });

  it('leave nothing behind', async () => {
    const turns = new Turns(LONG_MS);
    await Promise.all(['a', 'b', 'a'].map((key) => turns.take([key], () => Promise.resolve())));
    await pause(5);
    expect((turns as unknown as { queues: Map<string, unknown> }).queues.size).toBe(0);
  });
});
