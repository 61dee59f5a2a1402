import { readFileSync } from 'node:fs';
import { OWNER_KEY } from './storage/keys.js';
import { decode } from './values/decode.js';
import { toBytes } from './values/document.js';
/**
 * Makes this process the one that serves a store. LMDB's own write lock, which the system frees when a process dies,
 * lets only one process at a time look and decide, so nobody has to trust a lock file left by a crash.
 * @returns undefined on success, otherwise the id of the living process that serves the store
 */
export function claim(store) {
    return store.writeSync(() => {
        const record = store.get(OWNER_KEY);
        if (record) {
            const { pid, startedAt } = decode(record);
            if (isAlive(pid) && startOf(pid) === startedAt)
                return pid;
        }
        store.put(OWNER_KEY, toBytes({ pid: process.pid, startedAt: startOf(process.pid) }));
        return undefined;
    });
}
export function release(store) {
    store.writeSync(() => store.del(OWNER_KEY));
}
function isAlive(pid) {
    try {
        process.kill(pid, 0);
        return true;
    }
    catch (error) {
        return error.code !== 'ESRCH';
    }
}
/**
 * When a process started, in clock ticks since boot. The id alone says little: in a container the next process often
 * has the id of the one before. Empty where the system has no /proc.
 */
function startOf(pid) {
    try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
    }
    catch {
        return '';
    }
}
//# sourceMappingURL=ownership.js.map