/** It did not come in time. */
export class LateError extends Error {}

const LOOK_AGAIN_MS = 50;

/**
 * The promise's outcome, if it comes in time. What is late goes on by itself, and its outcome is dropped.
 * @param mayStillCome asked when the deadline has passed, and every 50 ms from then on: while it is true, the wait goes on
 * @throws LateError
 */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number, mayStillCome = never): Promise<T> {
  // Not by Promise.race(), which makes five promises more: each command to Redis comes through here.
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let timer = setTimeout(look, deadlineMs);
    function look() {
      // One look at the sockets more: Node asks its timers first, and after a pause of the whole process an answer may lie there.
      setImmediate(() => {
        if (isSettled) return;
        if (mayStillCome()) timer = setTimeout(look, LOOK_AGAIN_MS);
        else reject(new LateError(`no answer within ${deadlineMs} ms`));
      });
    }
    const settle = () => {
      isSettled = true;
      clearTimeout(timer);
    };
    promise.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: Error) => {
        settle();
        reject(error);
      },
    );
  });
}

function never(): boolean {
  return false;
}
