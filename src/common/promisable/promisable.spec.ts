import { describe, expect, it } from 'vitest';
import { andThen } from './promisable.js';

describe('Going on with a value', () => {
  it('happens at once where it is at hand', () => {
    expect(andThen(1, (value) => value + 1)).toBe(2);
    expect(() =>
      andThen(1, () => {
        throw new Error('own');
      }),
    ).toThrow('own');
  });

  it('waits for one that comes later, and for what becomes of it', async () => {
    const result = andThen(Promise.resolve(1), (value) => Promise.resolve(value + 1));
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe(2);
  });

  it('does not happen where there will be none', async () => {
    let hasHappened = false;
    const result = andThen(Promise.reject<number>(new Error('lost')), () => (hasHappened = true));
    await expect(result).rejects.toThrow('lost');
    expect(hasHappened).toBe(false);
  });
});
