import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Promisable } from '../../common/promisable/index.js';
import type { ThrottlerRecord } from './throttler-record.js';

/** The library's storage, that tells at once what it knows at once. */
export interface RequestCounter extends ThrottlerStorage {
  /**
   * Counts a request.
   * @param key of the counter, whose window begins with its first request
   * @param limit so many requests pass in one window
   */
  count(key: string, windowMs: number, limit: number): Promisable<ThrottlerRecord>;
}
