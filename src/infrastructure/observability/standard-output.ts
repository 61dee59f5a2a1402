import { pino } from 'pino';

const RETRIED_AFTER_MS = 50;

type Output = ReturnType<typeof pino.destination>;

/** What gathers while nothing can be written; further lines are dropped. */
const MOST_BYTES = 2 ** 20;

/** What a pipe takes as a whole or not at all (PIPE_BUF of Linux): so the processes of a cluster, which share one, never mix lines. */
export const WHOLE_BYTES = 4_096;

let output: Output | undefined;

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
  opened.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EAGAIN') setTimeout(() => opened.write(''), RETRIED_AFTER_MS).unref();
  });
  return (output = opened);
}
