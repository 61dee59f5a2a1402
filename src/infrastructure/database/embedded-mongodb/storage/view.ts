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
