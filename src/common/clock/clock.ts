/** The time as the service sees it. Injected everywhere, so that tests move it instead of sleeping. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract nowMs(): number;

  now(): Date {
    return new Date(this.nowMs());
  }
}
