import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askAgain } from './ask-again.js';

describe('A request that is asked again', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** @returns also when each try was made, in ms since the first */
  const asked = (answer: (attempt: number) => Promise<string>) => {
    const began = Date.now();
    const sentAt: number[] = [];
    const answered = askAgain(() => {
      sentAt.push(Date.now() - began);
      return answer(sentAt.length);
    });
    return { answered, sentAt };
  };
  const never = () => new Promise<string>(() => undefined);
  const failure = (status: number) => Object.assign(new Error('refused'), { status });
  const failing = async (afterMs: number) => {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    throw failure(502);
  };

  it.each([
    { what: 'no answer comes', withoutAnswer: never, sent: [0, 3_500, 7_000] },
    { what: 'each is a failure', withoutAnswer: () => Promise.reject(failure(502)), sent: [0, 500, 1_000] },
    { what: 'each is a failure that was long in coming', withoutAnswer: () => failing(3_460), sent: [0, 3_500, 7_000] },
    { what: 'each is a failure that comes too late', withoutAnswer: () => failing(6_000), sent: [0, 3_500, 7_000] },
  ])(
    'begins its third try seven seconds after the first at the latest, where $what',
    async ({ withoutAnswer, sent }) => {
      const { answered, sentAt } = asked((attempt) => (attempt === 3 ? Promise.resolve('answer') : withoutAnswer()));
      await vi.advanceTimersByTimeAsync(7_000);
      expect(await answered).toBe('answer');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(sentAt).toEqual(sent);
    },
  );

  it('is asked three times in all, whatever fails and when', async () => {
    for (const afterMs of [0, 400, 500, 2_999, 3_000, 3_460, 3_500, 4_000, 7_000, 20_000]) {
      const { answered, sentAt } = asked(() => failing(afterMs));
      const refused = expect(answered).rejects.toMatchObject({ status: 502 });
      await vi.advanceTimersByTimeAsync(60_000);
      await refused;
      expect(sentAt, `${afterMs} ms`).toHaveLength(3);
    }
  });

  it('is asked no fourth time while the first two are without an answer', async () => {
    const { answered, sentAt } = asked((attempt) => (attempt < 3 ? never() : Promise.reject(failure(502))));
    const refused = expect(answered).rejects.toMatchObject({ name: 'TimeoutError' });
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
    expect(sentAt).toEqual([0, 3_500, 7_000]);
  });

  it('is not asked again once an earlier try is answered, though the latest has failed', async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 3_800));
      return 'answer';
    };
    const { answered, sentAt } = asked((attempt) => (attempt === 1 ? late() : Promise.reject(failure(502))));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await answered).toBe('answer');
    expect(sentAt).toEqual([0, 3_500]);
  });

  it('is asked again after any failure of the service', async () => {
    const { answered, sentAt } = asked((attempt) =>
      attempt === 1 ? Promise.reject(failure(500)) : Promise.resolve('answer'),
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await answered).toBe('answer');
    expect(sentAt).toEqual([0, 500]);
  });

  it('is not asked again after a refusal', async () => {
    const { answered, sentAt } = asked(() => Promise.reject(failure(429)));
    await expect(answered).rejects.toMatchObject({ status: 429 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentAt).toEqual([0]);
  });

  it('has nothing left to wait for once it is answered', async () => {
    expect(await asked(() => Promise.resolve('answer')).answered).toBe('answer');
    expect(vi.getTimerCount()).toBe(0);
  });
});
