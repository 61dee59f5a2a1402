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
export async function startInWorker({ directory, waitForOwnerMs }: StartOptions): Promise<EmbeddedMongodb> {
  const exitLock = new ExitLock();
  const workerData: WorkerTask = { directory, waitForOwnerMs, exitLock: exitLock.memory };
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData });
  process.once('exit', exitLock.take);
  process.on('uncaughtExceptionMonitor', exitLock.note);
  worker.once('exit', () => {
    process.off('exit', exitLock.take);
    process.off('uncaughtExceptionMonitor', exitLock.note);
  });
  const [report] = (await once(worker, 'message')) as [WorkerReport];
  // Nothing is left to do for a thread that does not serve.
  if ('error' in report || report.attached) await worker.terminate();
  if ('error' in report) throw new Error(report.error);
  if (report.attached) return { ...report, close: async () => undefined };
  const close = async (): Promise<void> => {
    const ended = once(worker, 'exit');
    worker.postMessage('close');
    await ended;
  };
  return { ...report, close };
}
