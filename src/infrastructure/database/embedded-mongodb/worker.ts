import { parentPort, workerData } from 'node:worker_threads';
import { start } from './start.js';
import type { WorkerReport } from './worker-client.js';

const { directory } = workerData as { directory: string | undefined };

function report(message: WorkerReport): void {
  parentPort?.postMessage(message);
}

try {
  const { socketPath, attached, close } = await start(directory);
  parentPort?.once('message', () => void close().then(() => parentPort?.close()));
  report({ socketPath, attached });
} catch (error) {
  report({ error: (error as Error).message });
}
