import type { RunningStore, StartOptions } from './start.js';
import { startInWorker } from './worker-client.js';

const DRIVER_OPTIONS = new URLSearchParams({
  // The set name a server reports is only looked at without it, and would send the driver searching.
  directConnection: 'true',
  // The driver (7.9) looks for a server anew when a connection closes. When its monitor's closes at the same moment it asks
  // there, waits for ever, and knows no server until it ends. Looking often, and not that soon again, is by timer alone.
  heartbeatFrequencyMS: '500',
  minHeartbeatFrequencyMS: '1000',
});

export interface EmbeddedMongodbOptions extends StartOptions {
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
  /** Finishes running writes and stops; once, however often it is called. A store that is attached to keeps running. */
  close(): Promise<void>;
}

/**
 * Starts a server for the MongoDB wire protocol on a unix socket that only this user can open.
 * @throws Error with a message of one line when the directory cannot be written, is locked, or its data is damaged
 */
export async function startEmbeddedMongodb(options: EmbeddedMongodbOptions = {}): Promise<EmbeddedMongodb> {
  const { socketPath, attached, close } = await (options.workerThread ? startInWorker : startHere)(options);
  let closing: Promise<void> | undefined;
  const uri = `mongodb://${encodeURIComponent(socketPath)}/?${DRIVER_OPTIONS}`;
  return { uri, attached, close: () => (closing ??= close()) };
}

async function startHere(options: StartOptions): Promise<RunningStore> {
  // Not before it is needed: a process whose store is in a thread would load all of it twice.
  const { start } = await import('./start.js');
  return start(options);
}
