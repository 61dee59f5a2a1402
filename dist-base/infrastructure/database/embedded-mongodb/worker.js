import { parentPort, workerData } from 'node:worker_threads';
import { startInDirectory, startTemporary } from './start.js';
const { directory } = workerData;
function report(message) {
    parentPort?.postMessage(message);
}
try {
    const { socketPath, attached, close } = await (directory === undefined
        ? startTemporary()
        : startInDirectory(directory));
    parentPort?.once('message', () => void close().then(() => parentPort?.close()));
    report({ socketPath, attached });
}
catch (error) {
    report({ error: error.message });
}
//# sourceMappingURL=worker.js.map