/** It did not come in time. */
export class LateError extends Error {}

/**
 * The promise's outcome, if it comes in time. What is late goes on by itself, and its outcome is dropped.
 * @throws LateError
 */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number): Promise<T> {
  // Not by Promise.race(), which makes five promises more: each command to Redis comes through here.
  return new Promise((resolve, reject) => {
    // One look at the sockets more: Node asks its timers first, and after a pause of the whole process an answer may lie there.
    const timer = setTimeout(
      () => setImmediate(() => reject(new LateError(`no answer within ${deadlineMs} ms`))),
      deadlineMs,
    );
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
