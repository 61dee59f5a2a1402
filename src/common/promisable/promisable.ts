/** A value, or a promise of it. */
export type Promisable<T> = T | Promise<T>;

/**
 * Calls on with a value: at once if it is there, else when its promise is fulfilled. On the path of every request, promises
 * would cost more than all checks of the guards.
 */
export function andThen<T, R>(value: Promisable<T>, next: (value: T) => Promisable<R>): Promisable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
