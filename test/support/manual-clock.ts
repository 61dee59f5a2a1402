import { Clock } from '../../src/common/clock/index.js';

/** The real time, and whatever a test adds to it. */
export class ManualClock extends Clock {
  private offsetMs = 0;
  private frozenAtMs: number | null = null;

  nowMs(): number {
    return (this.frozenAtMs ?? Date.now()) + this.offsetMs;
  }

  /** From now on only `advance` moves it: for what must not depend on how fast the machine is. */
  freeze(): void {
    this.frozenAtMs = Date.now();
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
