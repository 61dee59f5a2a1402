import { writeSync } from 'node:fs';
import { inspect } from 'node:util';

const FREE = 0;
const IN_TRANSACTION = 1;
const PROCESS_ENDS = 2;
/** Longer than a commit takes, unless the disk stalls: what still runs then has no end. */
const TIMEOUT_MS = 3_000;

/**
 * Keeps a process from ending in the middle of a transaction of its worker thread. Node stops the thread wherever it is;
 * LMDB's binding then closes the file, for which it waits for the lock that this same thread holds: the process would
 * never end, whether it was told to or died of an error.
 */
export class ExitLock {
  private readonly state: Int32Array;
  private endedBy: unknown;

  /** @param memory shared by the thread that writes and the one that ends the process */
  constructor(readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.state = new Int32Array(memory);
  }

  /** Runs a transaction. Once the process ends it waits instead, until the thread is stopped. */
  during<T>(transaction: () => T): T {
    const before = Atomics.compareExchange(this.state, 0, FREE, IN_TRANSACTION);
    if (before === IN_TRANSACTION) return transaction();
    if (before === PROCESS_ENDS) Atomics.wait(this.state, 0, PROCESS_ENDS);
    try {
      return transaction();
    } finally {
      Atomics.store(this.state, 0, FREE);
      Atomics.notify(this.state, 0);
    }
  }

  /** To be called with whatever ends the process: were it killed, nobody else would say so. */
  readonly note = (error: unknown): void => {
    this.endedBy = error;
  };

  /** Nothing that was acknowledged is lost by that. */
  private kill(): void {
    const reason = this.endedBy === undefined ? '' : `${inspect(this.endedBy)}\n`;
    writeSync(2, `${reason}The process is killed: a write of the embedded store did not end within ${TIMEOUT_MS} ms\n`);
    process.kill(process.pid, 'SIGKILL');
  }

  /** When the process ends: waits for the running transaction, and lets none begin after it. */
  readonly take = (): void => {
    const deadline = performance.now() + TIMEOUT_MS;
    while (Atomics.compareExchange(this.state, 0, FREE, PROCESS_ENDS) === IN_TRANSACTION) {
      const left = deadline - performance.now();
      if (left <= 0) this.kill();
      Atomics.wait(this.state, 0, IN_TRANSACTION, left);
    }
  };
}
