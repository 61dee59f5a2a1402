import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { RateLimit } from '../../common/access/index.js';
import { LimitRefusals } from './limit-refusals.js';
import type { RequestCounter } from './request-counter.js';
import { THROTTLING_KEYS } from './throttling-key.js';

export interface QuotaUse {
  /** Takes it back, where it came to nothing, as in an outage. */
  giveBack(): Promise<void>;
}

/** Limits what an account does, from whichever addresses: beside the limits of routes, which are per address. */
@Injectable()
export class AccountQuotas {
  constructor(
    @InjectThrottlerStorage() private readonly counter: RequestCounter,
    private readonly refusals: LimitRefusals,
  ) {}

  /**
   * Counts one use: in Redis for all instances together, else for this process. To be called outside of transactions, which may begin
   * anew.
   * @param what names the quota
   * @param limit how many uses there may be in a window, which begins with the first
   * @param since distinguishes uses that do not count any more from those that do
   * @throws ApiError `too_many_requests`, with the end of the window
   */
  async use(what: string, userId: string, { quota, windowMs }: RateLimit, since = 0): Promise<QuotaUse> {
    const key = `${THROTTLING_KEYS}account:${what}:${userId}:${since}`;
    const record = await this.counter.count(key, windowMs, quota);
    const giveBack = async () => this.counter.giveBack(key);
    if (!record.isBlocked) return { giveBack };
    // Or the account would have none left, though all of those that kept this one out came to nothing and are given back.
    await giveBack();
    const { totalHits: refused } = await this.counter.count(`${key}:refused`, windowMs, 0);
    const refusal = { limit: 'account', code: 'too_many_requests', detail: what, userId } as const;
    throw this.refusals.record(refusal, record, refused === 1);
  }
}
