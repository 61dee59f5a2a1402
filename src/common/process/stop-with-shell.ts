import { STOP_SIGNALS } from './exit-on-signals.js';

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
    process.stderr.write('The shell in which npm started this process has ended: it stops\n');
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_EVERY_MS).unref();
  // It stops already: on Ctrl+C, which reaches the shell too.
  for (const signal of STOP_SIGNALS) process.once(signal, () => clearInterval(timer));
}
