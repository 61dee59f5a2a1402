import { pino } from 'pino';

/** What gathers while nothing can be written; further lines are dropped. */
const MOST_BYTES = 2 ** 20;

/**
 * Standard output, for loggers. Lines are lost where it cannot be written, on a full disk or a terminal that is gone: without a
 * listener that error would end the process, and pino's own destination tries again for ever while the process exits.
 * @param minLength bytes that are gathered before they are written; 0 writes each line at once
 */
export function standardOutput(minLength = 0) {
  // Not to try again at once: that would hold up the whole process for a reader that is slow.
  const retryEAGAIN = () => false;
  const output = pino.destination({ sync: true, minLength, maxLength: MOST_BYTES, retryEAGAIN });
  output.on('error', () => undefined);
  return output;
}
