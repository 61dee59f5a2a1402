import type { ApiError } from './api-error.js';

/** Port: hears of every request that was answered with an error. `security` provides it, to keep a record. */
export abstract class RefusalListener {
  /** Must not throw, and must not take long. */
  abstract refused(error: ApiError, route: string): void;
}
