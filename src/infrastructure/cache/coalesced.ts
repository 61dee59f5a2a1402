import { AsyncResource } from 'node:async_hooks';

/** A read that takes longer may hang on a lost connection; those behind it then begin one of their own. */
const SLOW_READ_MS = 200;

interface Reading<T> {
  /** Resolves when the read is done, or has taken {@link SLOW_READ_MS}. */
  over: Promise<void>;
  /** The next read, shared by all who ask during this one. */
  next: Promise<T> | null;
}

/**
 * Request coalescing. Of simultaneous reads of a key, the first runs at once, and all others share a second one, since the first may
 * be older than their question. If a read takes more than 200 ms, the next one starts.
 * @returns a function that reads; calls with the same key are taken for the same read
 */
export function coalesced<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const readings = new Map<string, Reading<T>>();
  // A shared read must not run in the context of one request, or in its transaction.
  const nobody = new AsyncResource('coalesced');

  function begin(key: string, read: () => Promise<T>): Promise<T> {
    const outcome = read();
    const reading: Reading<T> = { over: settledOrLong(outcome), next: null };
    readings.set(key, reading);
    void reading.over.then(() => {
      if (!reading.next && readings.get(key) === reading) readings.delete(key);
    });
    return outcome;
  }

  return (key, read) => {
    const reading = readings.get(key);
    if (!reading) return begin(key, read);
    reading.next ??= reading.over.then(() => nobody.runInAsyncScope(begin, null, key, read) as Promise<T>);
    return reading.next;
  };
}

function settledOrLong(outcome: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, SLOW_READ_MS);
    const settled = () => {
      clearTimeout(timer);
      resolve();
    };
    outcome.then(settled, settled);
  });
}
