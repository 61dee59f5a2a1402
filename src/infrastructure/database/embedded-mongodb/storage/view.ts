import { number, numberOf } from './keys.js';

export interface Entry {
  key: Buffer;
  value: Buffer;
}

/** What queries read from: the live store, a snapshot of it, or either of them below uncommitted writes. */
export interface View {
  get(key: Buffer): Buffer | undefined;
  /** Entries with start <= key < end in key order, or backwards. Not to be kept open across a write, except an overlay's, which does not see it. */
  range(start: Buffer, end: Buffer, reverse?: boolean): Iterable<Entry>;
}

export interface WritableView extends View {
  put(key: Buffer, value: Buffer): void;
  del(key: Buffer): void;
  /** Changes a number that put() has set. Two transactions may do so at the same time; where there is none, nothing happens. */
  add(key: Buffer, difference: number): void;
}

interface PendingWrite {
  key: Buffer;
  /** null: deleted */
  value: Buffer | null;
}

/** Writes of a command or transaction, kept in memory above what is stored until they are flushed as a whole. */
export class Overlay implements WritableView {
  private readonly writes = new Map<string, PendingWrite>();
  private readonly differences = new Map<string, { key: Buffer; sum: number }>();
  /** In key order, but for those that came since somebody asked for the order. */
  private sorted: PendingWrite[] = [];
  private unsorted: PendingWrite[] = [];

  constructor(protected readonly base: View) {}

  get(key: Buffer): Buffer | undefined {
    if (this.size === 0) return this.base.get(key);
    const name = key.toString('latin1');
    const write = this.writes.get(name);
    const value = write ? (write.value ?? undefined) : this.base.get(key);
    const difference = this.differences.get(name);
    return value && difference ? number(numberOf(value) + difference.sum) : value;
  }

  put(key: Buffer, value: Buffer): void {
    this.write(key, value);
  }

  del(key: Buffer): void {
    this.write(key, null);
  }

  add(key: Buffer, difference: number): void {
    const name = key.toString('latin1');
    this.differences.set(name, { key, sum: (this.differences.get(name)?.sum ?? 0) + difference });
  }

  range(start: Buffer, end: Buffer, reverse = false): Iterable<Entry> {
    const stored = this.base.range(start, end, reverse);
    if (this.writes.size === 0) return stored;
    this.sortNew();
    const pending = this.sorted.slice(lowerBound(this.sorted, start), lowerBound(this.sorted, end));
    return merged(stored, reverse ? pending.reverse() : pending, reverse);
  }

  get size(): number {
    return this.writes.size + this.differences.size;
  }

  /** How much there is to write. */
  bytes(): number {
    let sum = 0;
    for (const { key, value } of this.writes.values()) sum += key.length + (value?.length ?? 0);
    return sum;
  }

  keys(): Buffer[] {
    return [...this.writes.values()].map(({ key }) => key);
  }

  flushTo(target: WritableView): void {
    for (const { key, value } of this.writes.values()) {
      if (value) target.put(key, value);
      else target.del(key);
    }
    for (const { key, sum } of this.differences.values()) target.add(key, sum);
  }

  protected write(key: Buffer, value: Buffer | null): void {
    const name = key.toString('latin1');
    const known = this.writes.get(name);
    if (known) {
      known.value = value;
    } else {
      const write = { key, value };
      this.writes.set(name, write);
      this.unsorted.push(write);
    }
  }

  /** A bulk of thousands of statements asks after each of them: few are put in their places, only many sorted anew. */
  private sortNew(): void {
    if (this.unsorted.length > 100) {
      this.sorted = [...this.sorted, ...this.unsorted].sort((a, b) => Buffer.compare(a.key, b.key));
    } else {
      for (const write of this.unsorted) this.sorted.splice(lowerBound(this.sorted, write.key), 0, write);
    }
    this.unsorted = [];
  }
}

function* merged(stored: Iterable<Entry>, pending: PendingWrite[], reverse: boolean): Iterable<Entry> {
  const direction = reverse ? -1 : 1;
  let next = 0;
  for (const entry of stored) {
    let isReplaced = false;
    for (; next < pending.length; next++) {
      const { key, value } = pending[next] as PendingWrite;
      const order = Buffer.compare(key, entry.key) * direction;
      if (order > 0) break;
      isReplaced ||= order === 0;
      if (value) yield { key, value };
    }
    if (!isReplaced) yield entry;
  }
  for (const { key, value } of pending.slice(next)) if (value) yield { key, value };
}

function lowerBound(writes: PendingWrite[], key: Buffer): number {
  let low = 0;
  let high = writes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare((writes[middle] as PendingWrite).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
