import { readFileSync } from 'node:fs';
import { OWNER_KEY } from './storage/keys.js';
import type { Store } from './storage/store.js';
import { decode } from './values/decode.js';
import { toBytes } from './values/document.js';

/** Clocks and /proc count in different steps. */
const TOLERANCE_MS = 3_000;

/**
 * Makes this process the one that serves a store. LMDB's own write lock, which the system frees when a process dies,
 * lets only one process at a time look and decide, so nobody has to trust a lock file left by a crash.
 * @returns undefined on success, otherwise the id of the living process that serves the store
 */
export function claim(store: Store): number | undefined {
  return store.writeSync(() => {
    const record = store.get(OWNER_KEY);
    if (record) {
      const { pid, startedAt } = decode(record) as { pid: number; startedAt: Date };
      if (isAlive(pid, startedAt.getTime())) return pid;
    }
    store.put(OWNER_KEY, toBytes({ pid: process.pid, startedAt: new Date(ownStart()) }));
    return undefined;
  });
}

export function release(store: Store): void {
  store.writeSync(() => store.del(OWNER_KEY));
}

/** The id alone says little: in a container the next process often gets the id of the one before. */
function isAlive(pid: number, startedAt: number): boolean {
  const start = pid === process.pid ? ownStart() : startOf(pid);
  return start !== undefined && (start === 'unknown' || Math.abs(start - startedAt) < TOLERANCE_MS);
}

function ownStart(): number {
  return Date.now() - process.uptime() * 1000;
}

function startOf(pid: number): number | 'unknown' | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  try {
    const ticks = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    const uptimeSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    return Date.now() - (uptimeSeconds - Number(ticks) / 100) * 1000;
  } catch {
    return 'unknown';
  }
}
