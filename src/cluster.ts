import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { exitOnSignals, ignoreOutputErrors, STOP_SIGNALS, stopWithShell } from './common/process/index.js';
import { ClusterMetrics } from './infrastructure/cluster/index.js';
import { ConfigError, environmentVariables, loadConfig } from './infrastructure/config/index.js';
import { DatabaseServer } from './infrastructure/database/index.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The end of a process that lived this long is no fault of its start: its successor is started without a long pause. */
const SOUND_AFTER_MS = 60_000;
/** By then each process has ended by itself, unless it hangs. */
const STOP_MS = 12_000;
/** By then this process ends, though the store or a killed process hangs. */
const EXIT_MS = 15_000;

/** Several processes of the service, which listen on one port and share one database and one Redis. */
class Workers {
  private stopping: Promise<void> | null = null;
  private hasStarted = false;
  private pauseMs = FIRST_PAUSE_MS;
  private readonly metrics: ClusterMetrics;

  /** @param environment variables for each process, in addition to this process's own */
  constructor(
    private readonly count: number,
    private readonly environment: Record<string, string>,
  ) {
    this.metrics = new ClusterMetrics(count);
  }

  /** Starts the first process alone, so that a failing start is reported once. @throws Error if it ends before it listens */
  async start(): Promise<void> {
    const { count } = this;
    cluster.setupPrimary({ exec: join(import.meta.dirname, 'main.js') });
    const listening = new Set<number>();
    cluster.on('listening', ({ id }) => {
      if (listening.add(id).size === count) process.stdout.write(`  Processes    ${count}, all listening\n`);
    });
    const first = this.fork();
    await new Promise<void>((resolve, reject) => {
      first.once('listening', () => resolve());
      first.on('error', reject);
      first.once('exit', () => (this.stopping ? resolve() : reject(new Error('The first process did not start'))));
    });
    this.hasStarted = true;
    for (let number = 2; number <= count; number += 1) this.addWorker();
  }

  /**
   * Stops all processes, each of which finishes its requests; one that hangs is killed after 12 s.
   * @returns once all have ended, however often it is called
   */
  stop(): Promise<void> {
    return (this.stopping ??= this.stopAll());
  }

  private async stopAll(): Promise<void> {
    const ends = this.running().map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    const killAll = (signal: NodeJS.Signals) => this.running().forEach((worker) => worker.process.kill(signal));
    killAll('SIGTERM');
    const timer = setTimeout(() => killAll('SIGKILL'), STOP_MS);
    await Promise.all(ends);
    clearTimeout(timer);
  }

  private running(): Worker[] {
    return Object.values(cluster.workers ?? {})
      .filter((worker) => worker !== undefined)
      .filter((worker) => !worker.isDead());
  }

  private fork(): Worker {
    const worker = cluster.fork(this.environment);
    worker.once('online', () => closeWhatItDoesNotTake(worker));
    const startedMs = performance.now();
    this.metrics.follow(worker);
    worker.once('exit', (code, signal) => {
      const isFault = code !== 0 && performance.now() - startedMs < SOUND_AFTER_MS;
      if (this.hasStarted) this.replace(`Process ${worker.process.pid} ended (${signal || `code ${code}`})`, isFault);
    });
    return worker;
  }

  /** The pause grows while processes keep dying: a fault that they all have must not keep the machine busy. */
  private replace(event: string, isFault = true): void {
    if (this.stopping) return;
    if (!isFault) this.pauseMs = FIRST_PAUSE_MS;
    say(`${event}; another one starts in ${this.pauseMs} ms`);
    setTimeout(() => this.addWorker(), this.pauseMs);
    if (isFault) this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
  }

  /** Starts a process beside others. Where the system refuses one more, that must not end this process: the others would end too. */
  private addWorker(): void {
    if (this.stopping) return;
    const failed = ({ message }: Error) => this.replace(`A process could not start (${message})`);
    try {
      const worker = this.fork();
      worker.on('error', (error) => worker.process.pid === undefined && failed(error));
    } catch (error) {
      failed(error as Error);
    }
  }
}

/**
 * Connections are handed to a process one at a time. Node forgets the one that a process did not take before it died: its client would
 * wait for ever.
 */
function closeWhatItDoesNotTake({ process: child }: Worker): void {
  const send = child.send.bind(child) as (...parameters: unknown[]) => boolean;
  let handedOver: { close(): void } | undefined;
  child.send = (...parameters: unknown[]) => {
    const [, connection] = parameters;
    // In its place there may also be what to call once the message is sent.
    if (connection && typeof connection === 'object') handedOver = connection as { close(): void };
    return send(...parameters);
  };
  // One that it has taken is closed here already, and can be closed again. Whoever ends as told declines it, and another gets it.
  child.once('exit', (code) => code !== 0 && handedOver?.close());
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function run(): Promise<void> {
  const environment = environmentVariables();
  stopWithShell(environment);
  ignoreOutputErrors();
  const config = loadConfig(environment);
  if (!config.redis.url) {
    throw new ConfigError([
      'REDIS_URL: several processes need it: without, each had limits of its own, and did not hear of sessions that another ends',
    ]);
  }
  const exitNoLonger = exitOnSignals();
  // One process has the embedded store: this one. The others connect to it as they would to MongoDB.
  const store = config.mongodb.uri ? null : await DatabaseServer.open(config);
  if (store) process.stdout.write(`Embedded store in ${config.dataDirectory}, for all processes (set MONGODB_URI)\n`);
  const hashes = Math.max(1, Math.floor(availableParallelism() / config.workers));
  const workers = new Workers(config.workers, {
    ...(store ? { MONGODB_URI: store.uri } : {}),
    ...(environment['HASH_CONCURRENCY'] ? {} : { HASH_CONCURRENCY: String(hashes) }),
  });
  const ended = new Promise<void>((resolve) => {
    // Every time and not once: without a listener a second signal would end this process, and all others with it, at once.
    const stop = () => {
      setTimeout(() => process.exit(0), EXIT_MS).unref();
      void workers.stop().then(resolve);
    };
    exitNoLonger();
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
  await Promise.race([workers.start(), ended]);
  await ended;
  await store?.close(null);
}

try {
  await run();
  process.exit(0);
} catch (error) {
  say((error as Error).message);
  process.exit(1);
}
