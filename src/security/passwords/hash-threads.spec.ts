import { readdirSync, readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HashThreads } from './hash-threads.js';

const isLinux = process.platform === 'linux';

/** Nice values of this process's threads; proc(5), field 19 of `stat`. */
function niceValues(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const [, fields] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ');
    return Number(fields?.split(' ')[16]);
  });
}

describe('HashThreads', () => {
  let threads: HashThreads;
  beforeEach(() => {
    threads = new HashThreads();
  });
  afterEach(() => threads.close());

  it.skipIf(!isLinux)('give way to everything else', async () => {
    const before = niceValues().filter((nice) => nice === 10).length;
    await Promise.all([threads.hash('Abcdef1@', 4), threads.hash('Abcdef1@', 4)]);
    expect(niceValues().filter((nice) => nice === 10).length).toBe(before + 2);
  });

  it.skipIf(!isLinux)('are used again', async () => {
    const hash = await threads.hash('Abcdef1@', 4);
    const count = readdirSync('/proc/self/task').length;
    for (let i = 0; i < 20; i += 1) expect(await threads.compare('Abcdef1@', hash)).toBe(true);
    expect(readdirSync('/proc/self/task').length).toBe(count);
  });

  it('tell of a failure, and the next hash succeeds', async () => {
    await expect(threads.compare(null as never, 'x')).rejects.toThrow('required');
    expect(await threads.hash('Abcdef1@', 4)).toMatch(/^\$2b\$04\$/);
  });

  it('are replaced when they die idle', async () => {
    await threads.hash('Abcdef1@', 4);
    const { idle } = threads as unknown as { idle: Worker[] };
    await idle[0]?.terminate();
    expect(await threads.hash('Abcdef1@', 4)).toMatch(/^\$2b\$04\$/);
  });
});
