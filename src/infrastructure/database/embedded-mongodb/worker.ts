import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { start } from './start.js';
import { ExitLock } from './storage/exit-lock.js';
import type { WorkerReport, WorkerTask } from './worker-client.js';

const { exitLock, ...options } = workerData as WorkerTask;

/**
 * Where the two share a core, the thread that asks goes first: otherwise each request would be interrupted for its own
 * write. What it asks meanwhile is written in one commit. It costs nobody a core that is free.
 */
const PRIORITY = 5;

function report(message: WorkerReport): void {
  parentPort?.postMessage(message);
}

// A thread has a priority of its own on Linux alone; elsewhere this would be the whole process's.
if (process.platform === 'linux') {
  try {
    setPriority(PRIORITY);
  } catch {
    // A sandbox may forbid it. Then the two take turns.
  }
}

try {
  const { uri, attached, close } = await start(options, new ExitLock(exitLock));
  parentPort?.once('message', () => void close().then(() => parentPort?.close()));
  report({ uri, attached });
} catch (error) {
  report({ error: (error as Error).message });
}
