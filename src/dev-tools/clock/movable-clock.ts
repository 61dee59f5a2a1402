import { SystemClock } from '../../common/clock/index.js';

/** The real time plus an offset that tests can change. */
export class MovableClock extends SystemClock {
  private offset = 0;

  get offsetMs(): number {
    return this.offset;
  }

  override nowMs(): number {
    return super.nowMs() + this.offset;
  }

  advance(ms: number): void {
    this.offset += ms;
  }

  setOffset(ms: number): void {
    this.offset = ms;
  }
}
