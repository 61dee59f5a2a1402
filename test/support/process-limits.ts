import { execFileSync } from 'node:child_process';

/** Whether this machine has `prlimit`, which is of Linux, and lets this user change the limits of a process. */
export function canLimitOthers(): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** From now on it may have no file of this number or a higher one, but for those that it has. */
export function limitFiles(pid: number, files: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);
}
