import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Promisable } from '../../common/promisable/index.js';

export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The throttler library's storage, with a method that needs no promise if the count is known at once. */
export interface RequestCounter extends ThrottlerStorage {
  /**
   * Counts a request.
   * @param key names the counter; its window begins with its first request
   * @param limit number of requests that pass in one window
   */
  count(key: string, windowMs: number, limit: number): Promisable<ThrottlerRecord>;

  /** Takes one back that was counted, if its window has not ended. */
  giveBack(key: string): Promisable<void>;
}

/** A fixed window in the form that the guard expects; times are in whole seconds, at least one. */
export function throttlerRecord(hits: number, msToEnd: number, limit: number): ThrottlerRecord {
  const secondsToEnd = Math.max(1, Math.ceil(msToEnd / 1000));
  return { totalHits: hits, timeToExpire: secondsToEnd, isBlocked: hits > limit, timeToBlockExpire: secondsToEnd };
}
