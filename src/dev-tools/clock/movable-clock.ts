import { SystemClock } from '../../common/clock/index.js';

/** The real time plus an offset, in ms, that tests can change. */
export class MovableClock extends SystemClock {
  offsetMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.offsetMs;
  }
}
