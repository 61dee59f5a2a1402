import { start } from './start.js';
import { startInWorker } from './worker-client.js';

export interface EmbeddedMongodbOptions {
  /** Where documents are kept. Absent: a throw-away store, gone at close(). */
  directory?: string;
  /**
   * Runs in a worker thread, so that a large aggregation never stalls the caller's event loop. Default false.
   * Needs compiled code: the worker is a file of its own.
   */
  workerThread?: boolean;
}

export interface EmbeddedMongodb {
  /** Connection string; the database name goes into the driver's dbName option. */
  readonly uri: string;
  /** True when another process already serves the directory and this one only connects to it. */
  readonly attached: boolean;
  /** Finishes running writes and stops. A store that is attached to keeps running. */
  close(): Promise<void>;
}

/**
 * Starts a server for the MongoDB wire protocol on a unix socket that only this user can open.
 * @throws Error with a message of one line when the directory cannot be written, is locked, or its data is damaged
 */
export async function startEmbeddedMongodb(options: EmbeddedMongodbOptions = {}): Promise<EmbeddedMongodb> {
  const { socketPath, attached, close } = options.workerThread
    ? await startInWorker(options.directory)
    : await start(options.directory);
  // The set name a server reports is only looked at without directConnection, and would send the driver searching.
  return { uri: `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`, attached, close };
}
