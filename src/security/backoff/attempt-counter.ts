import type { OnCleanSlate } from '../../common/clean-slate/index.js';

/** How the names of all counters of attempts begin. */
export const ATTEMPT_KEYS = 'attempts:';
/** Attempts that cost nothing; as many may also run at the same time. */
const FREE_ATTEMPTS = 20;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 3_600_000;
/** An account that nobody fails at for so long is as good as new. */
export const FORGET_AFTER_MS = 86_400_000;

/** The delay after so many attempts in a row: none for the first 20, then 1 s, doubled each time, at most an hour. */
export function delayAfter(attempts: number): number {
  if (attempts <= FREE_ATTEMPTS) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts - FREE_ATTEMPTS - 1, 30), LONGEST_DELAY_MS);
}

/** Port: counts the attempts at one account since its last success. */
export abstract class AttemptCounter implements OnCleanSlate {
  /**
   * Counts an attempt before it is made, so that parallel guesses cannot share one; one that comes within the delay
   * is not counted.
   * @returns milliseconds to wait; 0 when the attempt may be made
   */
  abstract reserve(key: string): Promise<number>;

  abstract clear(key: string): Promise<void>;

  abstract onCleanSlate(): void | Promise<void>;
}
