import { MovableClock } from '../../src/dev-tools/index.js';

/** The service's movable clock, which a test can also stop. */
export class ManualClock extends MovableClock {
  private frozenAtMs: number | null = null;

  override nowMs(): number {
    return this.frozenAtMs === null ? super.nowMs() : this.frozenAtMs + this.offsetMs;
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }

  /** From now on only `advance` moves it: for what must not depend on how fast the machine is. */
  freeze(): void {
    this.frozenAtMs = Date.now();
  }
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
