import { type Clock, CLOCK_SKEW_MS } from '../../common/clock/index.js';
import { recentlyUsed } from '../../common/recently-used/index.js';
import { AttemptCounter, delayAfter, FORGET_AFTER_MS } from './attempt-counter.js';

const MAX_ACCOUNTS = 100_000;

/** Counts for this process. */
export class MemoryAttemptCounter extends AttemptCounter {
  private readonly accounts = recentlyUsed<{ attempts: number; blockedUntilMs: number; lastMs: number }>(MAX_ACCOUNTS);

  constructor(private readonly clock: Clock) {
    super();
  }

  override reserve(key: string): Promise<number> {
    const nowMs = this.clock.nowMs();
    const known = this.accounts.get(key);
    const account =
      known && nowMs - known.lastMs < FORGET_AFTER_MS ? known : { attempts: 0, blockedUntilMs: 0, lastMs: 0 };
    const waitMs = account.blockedUntilMs - nowMs;
    const wasSetBack = nowMs < account.lastMs - CLOCK_SKEW_MS;
    if (waitMs > 0 && !wasSetBack) return Promise.resolve(waitMs);
    account.attempts += 1;
    account.blockedUntilMs = nowMs + delayAfter(account.attempts);
    account.lastMs = nowMs;
    this.accounts.set(key, account);
    return Promise.resolve(0);
  }

  override giveBack(key: string): Promise<void> {
    const account = this.accounts.get(key);
    if (account) account.attempts = Math.max(0, account.attempts - 1);
    return Promise.resolve();
  }

  override clear(key: string): Promise<void> {
    this.accounts.delete(key);
    return Promise.resolve();
  }

  override onCleanSlate(): void {
    this.accounts.clear();
  }
}
