import type { Clock } from '../../common/clock/index.js';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Spares a mail server that takes nothing at all. If each mail that waits tried it, thousands would: it would not get up again, or lock
 * the service out. As soon as it has taken one, all the others leave.
 */
export class ServerPause {
  private failures = 0;
  private failedAtMs = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * Whether a mail may be sent now; after a failure one at a time, and after a pause.
   * @param underWay how many are being sent
   */
  allows(underWay: number): boolean {
    return this.failures === 0 || (underWay === 0 && this.isOver());
  }

  noteFailure(): void {
    // Those that were under way together count once.
    if (this.failures === 0 || this.isOver()) this.failures += 1;
    this.failedAtMs = this.clock.nowMs();
  }

  noteAnswer(): void {
    this.failures = 0;
  }

  private isOver(): boolean {
    const sinceMs = this.clock.nowMs() - this.failedAtMs;
    // The clock may have been set back.
    return sinceMs < 0 || sinceMs >= Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - 1), LONGEST_PAUSE_MS);
  }
}
