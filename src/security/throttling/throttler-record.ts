import type { ThrottlerStorage } from '@nestjs/throttler';

export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A fixed window in the form that the guard expects; times are in whole seconds, at least one. */
export function throttlerRecord(hits: number, msToEnd: number, limit: number): ThrottlerRecord {
  const secondsToEnd = Math.max(1, Math.ceil(msToEnd / 1000));
  return { totalHits: hits, timeToExpire: secondsToEnd, isBlocked: hits > limit, timeToBlockExpire: secondsToEnd };
}
