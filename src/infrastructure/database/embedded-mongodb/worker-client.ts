import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EmbeddedMongodb, StartOptions } from './start.js';
import { ExitLock } from './storage/exit-lock.js';

export interface WorkerTask extends StartOptions {
  exitLock: SharedArrayBuffer;
}

/** What the worker says once, when it has started or failed to. */
export type WorkerReport = Omit<EmbeddedMongodb, 'close'> | { error: string };

/** Runs the store in a thread of its own. @throws Error as start() */
export async function startInWorker(options: StartOptions): Promise<EmbeddedMongodb> {
  const exitLock = new ExitLock();
  const workerData: WorkerTask = { ...options, exitLock: exitLock.memory };
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData });
  process.once('exit', exitLock.take);
  process.on('uncaughtExceptionMonitor', exitLock.note);
  worker.once('exit', () => {
    process.off('exit', exitLock.take);
    process.off('uncaughtExceptionMonitor', exitLock.note);
  });
  const [report] = (await once(worker, 'message')) as [WorkerReport];
  if ('error' in report) {
    await worker.terminate();
    throw new Error(report.error);
  }
  if (report.attached) {
    // It only keeps a connection: no reason for a process to live.
    worker.unref();
    return { ...report, close: async () => void (await worker.terminate()) };
  }
  const close = async (): Promise<void> => {
    const ended = once(worker, 'exit');
    worker.postMessage('close');
    await ended;
  };
  return { ...report, close };
}
