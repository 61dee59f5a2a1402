import { startInDirectory, startTemporary } from './start.js';
import { startInWorker } from './worker-client.js';
/**
 * Starts a server for the MongoDB wire protocol on a unix socket that only this user can open.
 * @throws Error with a message of one line when the directory cannot be written, is locked, or its data is damaged
 */
export async function startEmbeddedMongodb(options = {}) {
    const { socketPath, attached, close } = options.workerThread
        ? await startInWorker(options.directory)
        : await startHere(options.directory);
    // The set name a server reports is only looked at without directConnection, and would send the driver searching.
    return { uri: `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`, attached, close };
}
function startHere(directory) {
    return directory === undefined ? startTemporary() : startInDirectory(directory);
}
//# sourceMappingURL=index.js.map