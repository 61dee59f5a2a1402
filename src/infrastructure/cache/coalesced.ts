import { AsyncResource } from 'node:async_hooks';

/** A read that takes longer may hang on a connection that is lost: a second one need not. */
const PATIENCE_MS = 200;

interface Reading<T> {
  /** Settles when it is done, or takes long. */
  over: Promise<void>;
  /** Shared by all who ask while this one is under way. */
  next: Promise<T> | null;
}

/**
 * Request coalescing: however many ask for the same at once, it is read twice, or five times a second. Who asks while a read is
 * under way shares the next one, which begins when that one is done or takes long, and in any case after all who share it have
 * asked: nobody is told what was true before the question.
 * @returns what to read by; the first argument says which reads are the same
 */
export function coalesced<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const readings = new Map<string, Reading<T>>();
  // What many share belongs to no request, and to no transaction of one.
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
    const timer = setTimeout(resolve, PATIENCE_MS);
    const settled = () => {
      clearTimeout(timer);
      resolve();
    };
    outcome.then(settled, settled);
  });
}
