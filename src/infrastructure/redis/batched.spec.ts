import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batched } from './batched.js';

describe('What is asked in one turn of the event loop', () => {
  const recorded = () => {
    const asked: number[][] = [];
    const twice = batched((numbers: readonly number[]) => {
      asked.push([...numbers]);
      return Promise.resolve(numbers.map((number) => 2 * number));
    });
    return { asked, twice };
  };

  it('is asked together, the same question again as well, and each is told its own answer', async () => {
    const { asked, twice } = recorded();
    expect(await Promise.all([1, 2, 1].map(twice))).toEqual([2, 4, 2]);
    expect(asked).toEqual([[1, 2, 1]]);
  });

  it('waits for whatever else the turn brings, and not for the next', async () => {
    const { asked, twice } = recorded();
    const first = twice(1);
    await Promise.resolve();
    const second = twice(2);
    await nextTurn();
    const third = twice(3);
    await Promise.all([first, second, third]);
    expect(asked).toEqual([[1, 2], [3]]);
  });

  it('is asked in parts where it is too much for one command', async () => {
    const { asked, twice } = recorded();
    const many = Array.from({ length: 600 }, (_, i) => i);
    expect(await Promise.all(many.map(twice))).toEqual(many.map((number) => 2 * number));
    expect(asked.map(({ length }) => length)).toEqual([250, 250, 100]);
  });

  it('fails together, and what is asked afterwards does not', async () => {
    let isBroken = true;
    const ask = batched((numbers: readonly number[]) =>
      isBroken ? Promise.reject(new Error('lost')) : Promise.resolve([...numbers]),
    );
    const outcomes = await Promise.allSettled([1, 2].map(ask));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await ask(3)).toBe(3);
  });
});
