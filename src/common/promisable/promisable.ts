/** What is at hand, or a promise of it. */
export type Promisable<T> = T | Promise<T>;

/**
 * Goes on with a value as soon as it is there. With one that is at hand that is now: promises, and waiting for them, cost more
 * than all that the guards of a request look at.
 */
export function andThen<T, R>(value: Promisable<T>, next: (value: T) => Promisable<R>): Promisable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
