import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Promisable } from '../../common/promisable/index.js';
import type { ThrottlerRecord } from './throttler-record.js';

/** The throttler library's storage, with a method that needs no promise if the count is known at once. */
export interface RequestCounter extends ThrottlerStorage {
  /**
   * Counts a request.
   * @param key names the counter; its window begins with its first request
   * @param limit number of requests that pass in one window
   */
  count(key: string, windowMs: number, limit: number): Promisable<ThrottlerRecord>;
}
