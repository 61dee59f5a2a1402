import { pino } from 'pino';

type Output = ReturnType<typeof pino.destination>;

/** When what a full pipe did not take is tried again, though no further line comes. */
const RETRIED_AFTER_MS = 50;

/** What gathers while nothing can be written; further lines are dropped. */
const MOST_BYTES = 2 ** 20;

/** What a pipe takes as a whole or not at all (PIPE_BUF of Linux): so the processes of a cluster, which share one, never mix lines. */
export const WHOLE_BYTES = 4_096;

let output: Output | undefined;
let lost = 0;

/** How many lines this process could not write, and has given up; without the last megabyte before the reader went. */
export function lostLines(): number {
  return lost;
}

/**
 * Standard output, for all loggers of the process: two would each keep the rest of a line that a slow reader did not take, and
 * write it into the other's lines. Lines are lost where it cannot be written, on a full disk or a terminal that is gone: without a
 * listener that error would end the process, and pino's own destination tries again for ever while the process exits.
 */
export function standardOutput(): Output {
  if (output) return output;
  // Not to try again at once: that would hold up the whole process for a reader that is slow.
  const retryEAGAIN = () => false;
  const opened = pino.destination({ sync: true, maxLength: MOST_BYTES, maxWrite: WHOLE_BYTES, retryEAGAIN });
  const lose = (lines: string) => {
    lost += lines.split('\n').length - 1;
    return true;
  };
  opened.on('drop', lose);
  let retry: NodeJS.Timeout | undefined;
  opened.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Its reader is gone for good; pino would lose what comes now, too, and tell nobody.
    if (code === 'EPIPE') opened.write = lose;
    // Each further line fails too: with a timer for each they would never be fewer, since each that fails begets the next.
    if (code !== 'EAGAIN' || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      opened.write('');
    }, RETRIED_AFTER_MS).unref();
  });
  return (output = opened);
}
