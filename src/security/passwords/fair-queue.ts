/**
 * Those who wait, so many in all. Their origins take turns: whoever asks for much at once waits for itself, and others hardly for
 * it. Where there is no more room, the last one of the origin with the most gives way.
 */
export class FairQueue<T> {
  /** In the order of the origins' next turns; none is empty. */
  private readonly waiting = new Map<string, T[]>();
  private count = 0;

  constructor(private readonly room: number) {}

  get size(): number {
    return this.count;
  }

  /** @returns who gives way, which may be the one that was added; undefined if there was room */
  add(origin: string, one: T): T | undefined {
    const own = this.waiting.get(origin) ?? [];
    this.waiting.set(origin, own);
    own.push(one);
    this.count += 1;
    return this.count > this.room ? this.dropLast(own) : undefined;
  }

  /** @returns whose turn it is; undefined if nobody waits */
  next(): T | undefined {
    for (const [origin, [one, ...others]] of this.waiting) {
      this.waiting.delete(origin);
      if (others.length > 0) this.waiting.set(origin, others);
      this.count -= 1;
      return one;
    }
    return undefined;
  }

  /** @param own of the newcomer, who gives way itself where no origin has more */
  private dropLast(own: T[]): T | undefined {
    let most = own;
    for (const ones of this.waiting.values()) if (ones.length > most.length) most = ones;
    const dropped = most.pop();
    this.count -= 1;
    for (const [origin, ones] of this.waiting) if (ones.length === 0) this.waiting.delete(origin);
    return dropped;
  }
}
