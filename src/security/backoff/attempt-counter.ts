import type { OnCleanSlate } from '../../common/clean-slate/index.js';

/** Prefix of the names of all attempt counters. */
export const ATTEMPT_KEYS = 'attempts:';
/** Attempts that need not wait; as many may also run at the same time. */
const FREE_ATTEMPTS = 20;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 3_600_000;
/** After this time without a failed attempt the counter is forgotten. */
export const FORGET_AFTER_MS = 86_400_000;

/** What the next attempt has to wait after a number of failed ones in a row: 1 s after 20, doubled by each up to an hour. */
export function delayAfter(attempts: number): number {
  if (attempts < FREE_ATTEMPTS) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts - FREE_ATTEMPTS, 30), LONGEST_DELAY_MS);
}

/** Port: counts the attempts at one account since its last success. */
export abstract class AttemptCounter implements OnCleanSlate {
  /**
   * Counts an attempt before it is made, so that parallel guesses cannot share one. An attempt within the delay is not counted.
   * @returns 0 if the attempt may be made, else milliseconds to wait
   */
  abstract reserve(key: string): Promise<number>;

  /** Takes back an attempt that was counted and then not made; a delay that it began goes on. */
  abstract giveBack(key: string): Promise<void>;

  abstract clear(key: string): Promise<void>;

  abstract onCleanSlate(): void | Promise<void>;
}
