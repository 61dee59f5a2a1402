import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { OWNER_KEY } from './storage/keys.js';
import type { Store } from './storage/store.js';
import { decode } from './values/decode.js';
import { toBytes } from './values/document.js';

/** A process that serves a store. Its id alone says little: after a restart, another process may have it. */
interface Owner {
  pid: number;
  startedAt: string;
  /** Where the id means something: each container counts its processes from 1. */
  namespace: string;
}

/**
 * Makes this process the one that serves a store. LMDB's own write lock, which the system frees when a process dies,
 * lets only one process at a time look and decide, so nobody has to trust a lock file left by a crash.
 * @param mayTakeOver whether an owner in another container, who may be alive or not, is taken for dead
 * @returns undefined on success, otherwise the id of the process that serves the store
 */
export function claim(store: Store, mayTakeOver: boolean): number | undefined {
  return store.writeSync(() => {
    const owner = ownerOf(store);
    if (owner && (owner.namespace === THIS_PROCESS.namespace ? isAlive(owner) : !mayTakeOver)) return owner.pid;
    store.put(OWNER_KEY, toBytes({ ...THIS_PROCESS }));
    return undefined;
  });
}

/** Gives up this process's claim. One that another process has made meanwhile stays. */
export function release(store: Store): void {
  store.writeSync(() => {
    if (isDeepStrictEqual(ownerOf(store), THIS_PROCESS)) store.del(OWNER_KEY);
  });
}

function ownerOf(store: Store): Owner | undefined {
  const record = store.get(OWNER_KEY);
  return record && (decode(record) as unknown as Owner);
}

function isAlive({ pid, startedAt }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(pid) === startedAt;
}

/** When a process started; empty where the system does not tell. */
function startOf(pid: number): string {
  return (
    tryToRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]) ??
    tryToRead(() => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], PS).trim()) ??
    ''
  );
}

function tryToRead(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** In the same words to every process, whatever its language and time zone. */
const PS = { encoding: 'utf8', stdio: 'pipe', env: { LC_ALL: 'C', TZ: 'UTC' } } as const;
const THIS_PROCESS: Owner = {
  pid: process.pid,
  startedAt: startOf(process.pid),
  // Empty where the system has no process namespaces.
  namespace: tryToRead(() => readlinkSync('/proc/self/ns/pid')) ?? '',
};
