const CHECK_EVERY_MS = 500;

/**
 * Ends this process when the shell in which npm started it is gone. npm passes a signal on to its shell, and shells such as dash
 * die without passing it on to their child, which would go on and keep its port. The child notices by its new parent process.
 * @param environment npm sets `npm_lifecycle_event` in it
 */
export function stopWithShell(environment: NodeJS.ProcessEnv): void {
  if (!environment['npm_lifecycle_event']) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_EVERY_MS).unref();
}
