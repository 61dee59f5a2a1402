import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
/** Runs the store in a thread of its own. @throws Error as startInDirectory() */
export async function startInWorker(directory) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { directory } });
    const [report] = (await once(worker, 'message'));
    // Nothing is left to do for a thread that does not serve.
    if ('error' in report || report.attached)
        await worker.terminate();
    if ('error' in report)
        throw new Error(report.error);
    if (report.attached)
        return { ...report, close: async () => undefined };
    const close = async () => {
        const ended = once(worker, 'exit');
        worker.postMessage('close');
        await ended;
    };
    return { ...report, close };
}
//# sourceMappingURL=worker-client.js.map