const TRIES = 3;
/** The third try comes within the grace of ten seconds, also where the clocks of two instances are two seconds apart. */
const NEXT_TRY_MS = 3_500;
const PAUSE_MS = 500;
const LAST_TRY_MS = 30_000;

/**
 * Repeats a request, up to three tries, if the answer is late, is lost, or is a failure of the service. Earlier tries go on beside
 * the next: on a slow line the first answer is usually that of the first try. With the first answer all other tries are aborted.
 * @param ask makes a try; the second begins after 3.5 seconds at the latest, the third after seven
 * @throws the error of a refusal, or of the last try; a TimeoutError 30 seconds after the last try
 */
export function askAgain<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const others = new AbortController();
  let tries = 0;
  let failures = 0;
  let timer: unknown;
  return new Promise<T>((resolve, reject) => {
    const next = () => {
      clearTimeout(timer as number);
      const own = (tries += 1);
      const [then, waitMs] = own < TRIES ? [next, NEXT_TRY_MS] : [reject, LAST_TRY_MS];
      timer = setTimeout(then, waitMs, new DOMException('No answer', 'TimeoutError'));
      ask(others.signal).then(resolve, (error: Error & { status?: number }) => {
        failures += 1;
        // An error without a status, which is not below 500 either, means that no answer came.
        if ((error.status as number) < 500 || failures === TRIES) return reject(error);
        // Unless the next try has begun meanwhile, or all is over.
        setTimeout(() => tries < TRIES && own === tries && next(), PAUSE_MS);
      });
    };
    next();
  }).finally(() => {
    tries = TRIES;
    clearTimeout(timer as number);
    others.abort();
  });
}
