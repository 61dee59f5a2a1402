import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lostLines, standardOutput } from './standard-output.js';

describe('Standard output', () => {
  const output = standardOutput();
  const write = vi.spyOn(output, 'write').mockReturnValue(true);
  const fail = (code: string) => output.emit('error', Object.assign(new Error(code), { code }));
  beforeEach(() => {
    vi.useFakeTimers();
    write.mockClear();
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => write.mockRestore());

  it('is the same for all loggers', () => {
    expect(standardOutput()).toBe(output);
  });

  it('is tried once more for any number of lines that a full pipe did not take, again and again', () => {
    for (let round = 1; round <= 3; round += 1) {
      for (let line = 0; line < 100; line += 1) fail('EAGAIN');
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(50);
      expect(write.mock.calls).toEqual(Array.from({ length: round }, () => ['']));
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it('loses what cannot be written, and goes on', () => {
    expect(() => fail('ENOSPC')).not.toThrow();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts what is lost', () => {
    const before = lostLines();
    output.emit('drop', 'a line\n');
    output.emit('drop', 'two\nlines\n');
    expect(lostLines() - before).toBe(3);
  });
});
