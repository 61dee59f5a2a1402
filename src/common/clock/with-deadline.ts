/** The promise was not settled before its deadline. */
export class LateError extends Error {}

const LOOK_AGAIN_MS = 50;

/**
 * The promise's outcome, if it is settled in time. A late promise is not cancelled; its outcome is ignored.
 * @param mayStillCome asked when the deadline has passed, and every 50 ms from then on: while it is true, the wait goes on
 * @throws LateError
 */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number, mayStillCome = never): Promise<T> {
  // Promise.race() would make five more promises, and every command to Redis comes through here.
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let timer = setTimeout(look, deadlineMs);
    function look() {
      // Node runs timers before it reads sockets: after a pause of the whole process the answer may already be there, unread.
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
