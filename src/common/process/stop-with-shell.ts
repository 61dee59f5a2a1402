const LOOKED_AFTER_EVERY_MS = 500;

/**
 * A process that npm started is the child of a shell. Who stops npm stops that shell, and shells such as dash die of a signal
 * without a word to their child, which would go on and hold its port. Here it hears of it, by having another parent.
 * @param environment has npm's own variables where npm started this process
 */
export function stopWithShell(environment: NodeJS.ProcessEnv): void {
  if (!environment['npm_lifecycle_event']) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOKED_AFTER_EVERY_MS).unref();
}
