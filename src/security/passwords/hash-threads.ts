import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const SCRIPT = join(import.meta.dirname, 'hash-thread.mjs');

/**
 * bcrypt in threads of its own with a lower priority, one for each hash that may run at a time. In libuv's pool it would hold up
 * file and DNS access; at normal priority, on a busy core, every request.
 */
export class HashThreads {
  private idle: Worker[] = [];
  private readonly all = new Set<Worker>();

  /** @returns the hash of the secret, salted */
  hash(secret: string, cost: number): Promise<string> {
    return this.run({ secret, cost });
  }

  /** @returns whether this is the hash of the secret */
  compare(secret: string, expected: string): Promise<boolean> {
    return this.run({ secret, expected });
  }

  /** Ends the threads; hashes being computed are lost. */
  async close(): Promise<void> {
    await Promise.all([...this.all].map((thread) => thread.terminate()));
  }

  private async run<T>(work: { secret: string; cost: number } | { secret: string; expected: string }): Promise<T> {
    const thread = this.idle.pop() ?? this.start();
    // A thread keeps the process alive only while it is working.
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
    // Whoever waits for it is rejected by the same event.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.all.delete(thread);
      this.idle = this.idle.filter((one) => one !== thread);
    });
    return thread;
  }
}
