/** It did not come in time. */
export class LateError extends Error {}

/**
 * The promise's outcome, if it comes in time. What is late goes on by itself, and its outcome is dropped.
 * @throws LateError
 */
export async function withDeadline<T>(promise: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  // The late outcome has nobody to go to; unhandled, it would end the process.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
