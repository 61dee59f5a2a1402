import { open, type RootDatabase, type Transaction } from 'lmdb';
import type { Entry, View, WritableView } from './view.js';

export interface Snapshot extends View {
  release(): void;
}

/** The documents and indexes of one directory, as ordered bytes in LMDB. */
export class Store implements WritableView {
  private constructor(private readonly database: RootDatabase<Buffer, Buffer>) {}

  /**
   * @param durable false: nothing is flushed to disk, for throw-away stores
   * @throws Error when LMDB cannot open the file
   */
  static open(file: string, durable: boolean): Store {
    const database = open<Buffer, Buffer>({
      path: file,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      noSync: !durable,
      // Classic LMDB commits: the data reaches the disk before the page that makes it visible does.
      overlappingSync: false,
    });
    return new Store(database);
  }

  get(key: Buffer): Buffer | undefined {
    return this.database.get(key);
  }

  range(start: Buffer, end: Buffer, reverse = false): Iterable<Entry> {
    return readRange(this.database, start, end, reverse);
  }

  /** Only inside write() or writeSync(). */
  put(key: Buffer, value: Buffer): void {
    void this.database.put(key, value);
  }

  /** Only inside write() or writeSync(). */
  del(key: Buffer): void {
    void this.database.remove(key);
  }

  /**
   * Runs an action alone among all writers; resolves with its result once what it wrote is on disk. The action is
   * synchronous: an await in it would let another writer in between its reads and its writes.
   */
  async write<T>(action: () => T): Promise<T> {
    let outcome: { result: T } | { error: unknown } | undefined;
    await this.database.transaction(() => {
      try {
        outcome = { result: action() };
      } catch (error) {
        outcome = { error };
      }
    });
    if (!outcome) throw new Error('The store did not run the write');
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }

  /** As write(), but blocks the thread, and excludes other processes that have the file open too. */
  writeSync<T>(action: () => T): T {
    return this.database.transactionSync(action);
  }

  /** What is stored now, unchanged by later writes. It keeps old pages alive: release it. */
  snapshot(): Snapshot {
    this.database.resetReadTxn();
    const transaction = this.database.useReadTransaction();
    return {
      get: (key) => this.database.get(key, { transaction }),
      range: (start, end, reverse = false) => readRange(this.database, start, end, reverse, transaction),
      release: () => transaction.done(),
    };
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

function readRange(
  database: RootDatabase<Buffer, Buffer>,
  start: Buffer,
  end: Buffer,
  reverse: boolean,
  transaction?: Transaction,
): Iterable<Entry> {
  const [from, to] = reverse ? [end, start] : [start, end];
  const bounds = reverse ? { exclusiveStart: true, inclusiveEnd: true } : {};
  return database.getRange({ start: from, end: to, reverse, ...bounds, ...(transaction && { transaction }) });
}
