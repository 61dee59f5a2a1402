import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const SCRIPT = join(import.meta.dirname, 'hash-thread.mjs');

/**
 * bcrypt in threads of its own, which give way to everything else: in libuv's pool it would stand before file and DNS
 * accesses, and on a busy core its time slices before every request. As many threads as there are hashes at a time.
 */
export class HashThreads {
  private readonly idle: Worker[] = [];
  private readonly all = new Set<Worker>();

  /** @returns the hash of the secret, salted */
  hash(secret: string, cost: number): Promise<string> {
    return this.run({ secret, cost });
  }

  /** @returns whether this is the hash of the secret */
  compare(secret: string, expected: string): Promise<boolean> {
    return this.run({ secret, expected });
  }

  /** Hashes that are being computed are lost. */
  async close(): Promise<void> {
    await Promise.all([...this.all].map((thread) => thread.terminate()));
  }

  private async run<T>(work: { secret: string; cost: number } | { secret: string; expected: string }): Promise<T> {
    const thread = this.idle.pop() ?? this.start();
    // An idle thread keeps no process alive; one at work does.
    thread.ref();
    try {
      thread.postMessage(work);
      const [result] = (await once(thread, 'message')) as [T];
      this.idle.push(thread);
      return result;
    } finally {
      thread.unref();
    }
  }

  private start(): Worker {
    const thread = new Worker(SCRIPT);
    this.all.add(thread);
    // Whoever waits for it is told by the same event; the next hash gets another thread.
    thread.on('error', () => this.all.delete(thread));
    return thread;
  }
}
