/** The processes of a measurement. What is measured has one core for itself, what measures it another. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SERVER_CORE = 0;
const LOAD_CORE = 1;
/** As npm start and the image have it. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];
export const isPinned = availableParallelism() > 1 && canPin();

function canPin() {
  try {
    // A container may have two cores, and not these two.
    for (const core of [SERVER_CORE, LOAD_CORE])
      execFileSync('taskset', ['-c', String(core), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const running = new Set();
const logs = mkdtempSync(join(tmpdir(), 'bench-logs-'));
const LOOKED_EVERY_MS = 5;

/** A Node process on one core. */
export class Program {
  /** @param script relative to this directory */
  constructor(script, { core = SERVER_CORE, env = {}, args = [], nodeOptions = NODE_OPTIONS } = {}) {
    const command = [process.execPath, ...nodeOptions, fileURLToPath(new URL(script, import.meta.url)), ...args];
    if (isPinned) command.unshift('taskset', '-c', String(core));
    const { PATH } = process.env;
    this.log = join(logs, `${running.size}-${Date.now()}.log`);
    this.started = performance.now();
    // A file and not a pipe: reading a pipe would be work on the core of the server.
    const stdio = ['ignore', openSync(this.log, 'w'), 'inherit', 'ipc'];
    this.child = spawn(command[0], command.slice(1), { env: { PATH, ...env }, stdio });
    closeSync(stdio[1]);
    running.add(this);
  }

  /** Waits until the program says so. @returns itself, with the address that it names, if any */
  async ready(pattern = /\n/) {
    const output = () => readFileSync(this.log, 'utf8');
    while (!pattern.test(output())) {
      if (this.isOver) throw new Error(`It did not start: ${output()}`);
      await pause(LOOKED_EVERY_MS);
    }
    this.url = / on (http:\S+)/.exec(output())?.[1];
    this.port = this.url && Number(new URL(this.url).port);
    return this;
  }

  get isOver() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async ask(message) {
    this.child.send(message);
    return (await once(this.child, 'message'))[0];
  }

  async stop(signal = 'SIGTERM') {
    running.delete(this);
    if (this.isOver) return;
    this.child.kill(signal);
    await once(this.child, 'exit');
  }
}

/** What the kernel says that a program takes; Linux. */
export function residentMegabytes({ child }) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}

export async function stopAll() {
  await Promise.all([...running].map((program) => program.stop('SIGKILL')));
  rmSync(logs, { recursive: true });
}

/** The one load generator. It takes several jobs at the same time. */
export class LoadGenerator {
  static async start() {
    const generator = new LoadGenerator();
    generator.jobs = new Map();
    generator.program = await new Program('programs/load-generator.mjs', { core: LOAD_CORE }).ready();
    generator.program.child.on('message', ({ id, outcome, error }) => {
      const { resolve, reject } = generator.jobs.get(id);
      if (error) reject(new Error(error));
      else resolve(outcome);
    });
    generator.program.child.on('exit', () => {
      for (const { reject } of generator.jobs.values()) reject(new Error('The load generator ended'));
    });
    return generator;
  }

  /** @param job as in programs/load-generator.mjs */
  run(job) {
    const id = this.jobs.size;
    this.program.child.send({ id, job });
    return new Promise((resolve, reject) => this.jobs.set(id, { resolve, reject }));
  }
}
