import { CommandError } from '../command-error.js';
import type { Collection } from '../engine/catalogue.js';
import { Overlay } from '../storage/overlay.js';
import type { Snapshot } from '../storage/store.js';
import type { View } from '../storage/view.js';

/**
 * A multi-document transaction: it reads a snapshot and keeps its writes to itself until the commit. It holds no lock,
 * so code that forgets to pass its session cannot deadlock with it; the later of two writers of a key gets a conflict.
 */
export class Transaction extends Overlay {
  /** The collections it wrote to, as they were then. */
  readonly written = new Map<string, Collection>();

  constructor(
    readonly number: bigint | undefined,
    readonly startedAt: Date,
    private readonly snapshot: Snapshot,
    private readonly live: View,
    /** Which open transaction wrote a key, shared by all of them. */
    private readonly writers: Map<string, Transaction>,
    private readonly collections: ReadonlyMap<string, Collection>,
  ) {
    super(snapshot);
  }

  /** The collection as it was when the snapshot was taken: newer indexes have no entries in the snapshot. */
  collection(namespace: string, current: Collection | undefined): Collection | undefined {
    return this.collections.get(namespace) ?? current;
  }

  /** @throws CommandError 112 when somebody else committed or is about to write what this transaction wrote */
  checkConflicts(): void {
    for (const key of this.keys()) this.checkKey(key);
  }

  release(): void {
    for (const key of this.keys()) this.writers.delete(key.toString('latin1'));
    this.snapshot.release();
  }

  protected override write(key: Buffer, value: Buffer | null): void {
    const name = key.toString('latin1');
    const writer = this.writers.get(name);
    if (writer && writer !== this) throw writeConflict();
    this.checkKey(key);
    this.writers.set(name, this);
    super.write(key, value);
  }

  private checkKey(key: Buffer): void {
    const [now, then] = [this.live.get(key), this.snapshot.get(key)];
    if (now && then ? !now.equals(then) : now !== then) throw writeConflict();
  }
}

export function writeConflict(): CommandError {
  return new CommandError(
    112,
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
  );
}
