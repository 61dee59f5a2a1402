/** Pauses that end when whatever they wait for may have happened, or when their time is over. */
export class WakeablePauses {
  private readonly wakers = new Set<() => void>();

  /** @param longestMs without it, the pause ends only when it is woken */
  pause(longestMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.wakers.delete(wake);
        resolve();
      };
      const timer = longestMs === undefined ? undefined : setTimeout(wake, longestMs);
      this.wakers.add(wake);
    });
  }

  /** Ends the pauses under way. */
  wakeAll(): void {
    for (const wake of this.wakers) wake();
  }
}
