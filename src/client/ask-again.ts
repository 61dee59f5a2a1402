const TRIES = 3;
const NEXT_TRY_MS = 4_500;
const PAUSE_MS = 500;
const LAST_TRY_MS = 30_000;

/**
 * Asks again where the answer is late, is lost, or says that the service failed. No try is cut off for the next: on a slow line the
 * answer to the first is the first to come. With it the others end, lest they arrive when nobody expects them any more.
 * @param ask has 4.5 seconds until it is asked again, and nine until it is for the last time
 * @throws what it throws when refused, or at last; a TimeoutError 30 seconds after the last try
 */
export function askAgain<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const others = new AbortController();
  let tries = 0;
  let failures = 0;
  let timer: unknown;
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new DOMException('No answer', 'TimeoutError'));
    const next = () => {
      tries += 1;
      timer = tries < TRIES ? setTimeout(next, NEXT_TRY_MS) : setTimeout(giveUp, LAST_TRY_MS);
      ask(others.signal).then(resolve, (error: Error & { status?: number }) => {
        failures += 1;
        // What has no status is no answer.
        if ((error.status ?? 503) < 500 || failures === TRIES) reject(error);
        if (tries === TRIES) return;
        clearTimeout(timer as number);
        timer = setTimeout(next, PAUSE_MS);
      });
    };
    next();
  }).finally(() => {
    tries = TRIES;
    clearTimeout(timer as number);
    others.abort();
  });
}
