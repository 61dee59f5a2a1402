import { Injectable } from '@nestjs/common';
import { ApiError, type ErrorCode } from '../../common/errors/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { SecurityEvents } from '../events/security-events.js';
import type { ThrottlerRecord } from './request-counter.js';
import type { LimitName } from './throttling-key.js';

interface Refusal {
  limit: LimitName;
  code: ErrorCode;
  /** For the security event: what was done too often. */
  detail: string;
  /** The account, if the quota is an account's. */
  userId?: string;
}

/** What is over a limit: counted each time, but one security event for each window, or whoever goes on would fill their list. */
@Injectable()
export class LimitRefusals {
  private readonly refusals;

  constructor(
    metrics: Metrics,
    private readonly events: SecurityEvents,
  ) {
    this.refusals = metrics.counters('rate_limit_refusals_total', 'Requests over a limit', 'limit', [
      'auth',
      'general',
      'route',
      'account',
    ]);
  }

  /**
   * @param isFirst whether it is the first of its window
   * @returns the error for the caller, with the end of the window
   */
  record({ limit, code, detail, userId }: Refusal, { timeToBlockExpire }: ThrottlerRecord, isFirst: boolean): ApiError {
    this.refusals[limit].inc();
    if (isFirst) this.events.record({ kind: 'excess_rate_limit_exceeded', outcome: 'failure', userId, detail });
    return new ApiError(code, { retryAfterSeconds: timeToBlockExpire });
  }
}
