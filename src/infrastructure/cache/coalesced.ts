import { AsyncResource } from 'node:async_hooks';

/** One that takes longer may hang on a connection that is lost: a second need not. */
const SHARED_FOR_MS = 1_000;

interface Reading<T> {
  beganAtMs: number;
  done: Promise<void>;
  /** Shared by all who ask while this one is under way. */
  next: Promise<T> | null;
}

/**
 * Request coalescing: however many ask for the same at once, it is read twice. Who asks while a read is under way shares the
 * next one, which begins when that one is done, and so after all who share it have asked: nobody is told what was true before
 * the question.
 * @returns what to read by; the first argument says which reads are the same
 */
export function coalesced<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const readings = new Map<string, Reading<T>>();
  // What many share belongs to no request, and to no transaction of one.
  const nobody = new AsyncResource('coalesced');

  function begin(key: string, read: () => Promise<T>): Promise<T> {
    const outcome = read();
    const reading: Reading<T> = { beganAtMs: performance.now(), done: settlementOf(outcome), next: null };
    readings.set(key, reading);
    void reading.done.then(() => {
      if (!reading.next && readings.get(key) === reading) readings.delete(key);
    });
    return outcome;
  }

  return (key, read) => {
    const reading = readings.get(key);
    if (!reading || performance.now() - reading.beganAtMs > SHARED_FOR_MS) return begin(key, read);
    reading.next ??= reading.done.then(() => nobody.runInAsyncScope(begin, null, key, read) as Promise<T>);
    return reading.next;
  };
}

function settlementOf(outcome: Promise<unknown>): Promise<void> {
  return outcome.then(
    () => undefined,
    () => undefined,
  );
}
