/** Signals that tell a process to stop. */
export const STOP_SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

/**
 * Exits with 0 on a signal to stop, while nothing has to be ended first. As process 1 of a container, Node ignores these signals
 * unless they are handled: a stop would hang while the database is awaited.
 * @returns a function that takes it back
 */
export function exitOnSignals(): () => void {
  const exit = () => process.exit(0);
  for (const signal of STOP_SIGNALS) process.once(signal, exit);
  return () => STOP_SIGNALS.forEach((signal) => process.off(signal, exit));
}
