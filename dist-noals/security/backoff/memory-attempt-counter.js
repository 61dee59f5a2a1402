import { LRUCache } from 'lru-cache';
import { AttemptCounter, delayAfter, FORGET_AFTER_MS } from './attempt-counter.js';
const MAX_ACCOUNTS = 100_000;
/** For one process. */
export class MemoryAttemptCounter extends AttemptCounter {
    clock;
    accounts = new LRUCache({
        max: MAX_ACCOUNTS,
    });
    constructor(clock) {
        super();
        this.clock = clock;
    }
    reserve(key) {
        const nowMs = this.clock.nowMs();
        const known = this.accounts.get(key);
        const account = known && nowMs - known.lastMs < FORGET_AFTER_MS ? known : { attempts: 0, blockedUntilMs: 0, lastMs: 0 };
        if (account.blockedUntilMs > nowMs)
            return Promise.resolve(account.blockedUntilMs - nowMs);
        account.attempts += 1;
        account.blockedUntilMs = nowMs + delayAfter(account.attempts);
        account.lastMs = nowMs;
        this.accounts.set(key, account);
        return Promise.resolve(0);
    }
    clear(key) {
        this.accounts.delete(key);
        return Promise.resolve();
    }
}
//# sourceMappingURL=memory-attempt-counter.js.map