import type { Clock } from '../../common/clock/index.js';

const FIRST_PAUSE_MS = 2_000;
export const LONGEST_SERVER_PAUSE_MS = 30_000;

/** Milliseconds until the next attempt, after so many that failed. */
export function pauseAfter(failures: number, longestMs: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), longestMs);
}

/**
 * Spares a mail server that takes nothing at all. If each mail that waits tried it, thousands would: it would not get up again, or lock
 * the service out. As soon as it has taken one, all the others may leave.
 */
export class ServerPause {
  private failures = 0;
  private failedAtMs = 0;
  private triedAtMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Whether a mail may be sent now. After a failure one may, after each pause: an earlier one may hang, and is not waited for. */
  allows(): boolean {
    if (this.failures === 0) return true;
    if (!this.isPauseAfter(this.failedAtMs) || !this.isPauseAfter(this.triedAtMs)) return false;
    this.triedAtMs = this.clock.nowMs();
    return true;
  }

  noteFailure(): void {
    // Those that were under way together count once.
    if (this.failures === 0 || this.isPauseAfter(this.failedAtMs)) this.failures += 1;
    this.failedAtMs = this.clock.nowMs();
  }

  noteAnswer(): void {
    this.failures = 0;
  }

  private isPauseAfter(momentMs: number): boolean {
    const sinceMs = this.clock.nowMs() - momentMs;
    // The clock may have been set back.
    return sinceMs < 0 || sinceMs >= pauseAfter(this.failures, LONGEST_SERVER_PAUSE_MS);
  }
}
