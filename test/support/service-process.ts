import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const DIST = join(import.meta.dirname, '..', '..', 'dist');
const START_LIMIT_MS = 20_000;
const END_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 9_000;

/** The built service as a process of its own, started as the README says. */
export class ServiceProcess {
  output = '';
  errors = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | null>;

  /** @param env everything it gets: nothing of this process's own environment but PATH */
  constructor(env: Record<string, string>, script = 'main.js') {
    this.child = spawn(process.execPath, [join(DIST, script)], {
      env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', ...env },
    });
    this.child.stdout?.on('data', (chunk) => (this.output += chunk));
    this.child.stderr?.on('data', (chunk) => (this.errors += chunk));
    this.exited = once(this.child, 'exit').then(([code]) => code as number | null);
  }

  /** @returns the address on which it serves, once it says so */
  async started(): Promise<string> {
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      const url = / on (http:\/\/\S+)/.exec(this.output)?.[1];
      if (url) return url;
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`The service did not start: ${this.output}${this.errors}`);
      }
      await pause(10);
    }
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** @throws Error with what it said, if it does not end */
  exit(limitMs = END_LIMIT_MS): Promise<number | null> {
    return Promise.race([this.exited, this.survives(limitMs)]);
  }

  /** @throws Error with what it said, if it does not end of its own accord: after 10 s it would end in any case */
  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exit(STOP_LIMIT_MS);
  }

  private async survives(limitMs: number): Promise<never> {
    await pause(limitMs, undefined, { ref: false });
    throw new Error(`The service did not end within ${limitMs} ms: ${this.output}${this.errors}`);
  }
}
