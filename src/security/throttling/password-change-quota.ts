import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import { ApiError } from '../../common/errors/index.js';
import { SecurityEvents } from '../events/security-events.js';
import type { RequestCounter } from './request-counter.js';
import { THROTTLING_KEYS } from './throttling-key.js';

const CHANGES_AN_HOUR = 5;
const HOUR_MS = 3_600_000;

/**
 * Bounds how often an account's password is changed by somebody who knows it, from whichever addresses. Each change kills the link with
 * which its owner would reset it, and is told to them by mail: a thief must not go on with that for ever.
 */
@Injectable()
export class PasswordChangeQuota {
  constructor(
    @InjectThrottlerStorage() private readonly counter: RequestCounter,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Counts a change: five an hour.
   * @param recoveries of the account: a recovery ends what a thief has begun, and its owner has five more
   * @throws ApiError `too_many_requests`
   */
  async use(userId: string, recoveries: number): Promise<void> {
    const key = `${THROTTLING_KEYS}password:${userId}:${recoveries}`;
    const { totalHits, isBlocked, timeToBlockExpire } = await this.counter.count(key, HOUR_MS, CHANGES_AN_HOUR);
    if (!isBlocked) return;
    if (totalHits === CHANGES_AN_HOUR + 1) {
      const detail = 'changes of the password';
      this.events.record({ kind: 'excess_rate_limit_exceeded', outcome: 'failure', userId, detail });
    }
    throw new ApiError('too_many_requests', { retryAfterSeconds: timeToBlockExpire });
  }
}
