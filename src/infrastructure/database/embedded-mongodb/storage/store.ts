import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { open, type RangeOptions, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { CommandError } from '../command-error.js';
import { ExitLock } from './exit-lock.js';
import { number, numberOf } from './keys.js';
import { Overlay, type Entry, type View, type WritableView } from './view.js';

export interface Snapshot extends View {
  release(): void;
}

const PAGE_BYTES = 4096;
/** Left free on the disk: for other programs, and for what was not foreseen. */
const RESERVE_BYTES = 8 * 2 ** 20;
const NO_SPACE = 'no space left on the device';

/** How many snapshots may be open at once: beyond LMDB's number of readers nobody could read any more. */
export const MOST_SNAPSHOTS = 1_000;

interface Writer {
  action: (view: Overlay) => unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The documents and indexes of one directory, as ordered bytes in LMDB. */
export class Store implements WritableView {
  private readonly writers: Writer[] = [];
  private room = 0;
  private fileBytes = 0;

  private constructor(
    private readonly database: RootDatabase<Buffer, Buffer>,
    private readonly file: string,
    readonly isDurable: boolean,
    private readonly exitLock: ExitLock,
  ) {}

  /**
   * @param durable false: nothing is flushed to disk, for throw-away stores
   * @param exitLock where the process can end while a transaction runs: in a worker thread
   * @throws Error when LMDB cannot open the file, or the disk is full
   */
  static open(file: string, durable: boolean, exitLock = new ExitLock()): Store {
    if (freeBytes(file) < RESERVE_BYTES) throw new Error(NO_SPACE);
    const options: RootDatabaseOptionsWithPath = {
      path: file,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      noSync: !durable,
      maxReaders: MOST_SNAPSHOTS + 24,
      // Classic LMDB commits: the data reaches the disk before the page that makes it visible does.
      overlappingSync: false,
    };
    // Opening is a transaction, too.
    const database = exitLock.during(() => open<Buffer, Buffer>(options));
    return new Store(database, file, durable, exitLock);
  }

  get(key: Buffer): Buffer | undefined {
    return this.database.get(key);
  }

  range(start: Buffer, end: Buffer, reverse = false): Iterable<Entry> {
    return this.database.getRange(rangeOptions(start, end, reverse));
  }

  /** Only inside writeSync(). */
  put(key: Buffer, value: Buffer): void {
    this.database.putSync(key, value);
  }

  /** Only inside writeSync(). */
  del(key: Buffer): void {
    this.database.removeSync(key);
  }

  /** Only inside writeSync(). */
  add(key: Buffer, difference: number): void {
    const value = this.get(key);
    if (value) this.put(key, number(numberOf(value) + difference));
  }

  /**
   * Runs a synchronous action alone among all writers. What it wrote is on disk when the promise resolves; where the
   * action throws or the disk refuses, nothing of it is written. Writers of one turn of the event loop share a commit.
   */
  write<T>(action: (view: Overlay) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.writers.push({ action, resolve: resolve as (result: unknown) => void, reject });
      if (this.writers.length === 1) setImmediate(() => this.commit());
    });
  }

  /**
   * Not by lmdb's own asynchronous transactions: when a commit of theirs fails, e.g. on a full disk, they also reject
   * promises that nobody can reach, which ends the process (lmdb-js issue 368).
   */
  private commit(): void {
    const writers = this.writers.splice(0);
    try {
      this.measure();
      const answers = this.writeSync(() => writers.map((writer) => this.run(writer)));
      for (const answer of answers) answer();
    } catch (error) {
      const refusal = new CommandError(14031, `The disk refused the write: ${(error as Error).message}`);
      for (const { reject } of writers) reject(refusal);
    }
  }

  /** @throws Error when the writes are refused half way: the whole commit is then void */
  private run({ action, resolve, reject }: Writer): () => void {
    const view = new Overlay(this);
    let result: unknown;
    try {
      result = action(view);
    } catch (error) {
      return () => reject(error);
    }
    this.flush(view);
    return () => resolve(result);
  }

  /** As write(), before anything else happens: it holds up all others while the disk works. */
  writeNow<T>(action: (view: Overlay) => T): T {
    const view = new Overlay(this);
    const result = action(view);
    this.measure();
    this.writeSync(() => this.flush(view));
    return result;
  }

  /**
   * A full disk is noticed here, before LMDB meets it: the message it then writes overruns the memory it took for it.
   * The most that a commit can need is a new copy of each page it touches, and new pages for what it adds.
   */
  private flush(view: Overlay): void {
    const copied = Math.min(view.size * PAGE_BYTES, this.fileBytes);
    this.room -= view.size > 0 ? 2 * view.bytes() + copied : 0;
    if (view.size > 0 && this.room < RESERVE_BYTES) throw new Error(NO_SPACE);
    view.flushTo(this);
  }

  private measure(): void {
    this.room = freeBytes(this.file);
    this.fileBytes = statSync(this.file).size;
  }

  /** Runs an action at once, and excludes other processes that have the file open too. @throws what the action throws */
  writeSync<T>(action: () => T): T {
    return this.exitLock.during(() => this.database.transactionSync(action));
  }

  /** What is stored now, unchanged by later writes. It keeps old pages alive: release it. */
  snapshot(): Snapshot {
    this.database.resetReadTxn();
    const transaction = this.database.useReadTransaction();
    return {
      get: (key) => this.database.get(key, { transaction }),
      range: (start, end, reverse = false) =>
        this.database.getRange({ ...rangeOptions(start, end, reverse), transaction }),
      release: () => transaction.done(),
    };
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}

function rangeOptions(start: Buffer, end: Buffer, reverse: boolean): RangeOptions {
  return reverse ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true } : { start, end };
}
