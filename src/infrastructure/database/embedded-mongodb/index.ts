import type { EmbeddedMongodb, StartOptions } from './start.js';
import { startInWorker } from './worker-client.js';

export type { EmbeddedMongodb };

export interface EmbeddedMongodbOptions extends StartOptions {
  /**
   * Runs in a worker thread, so that a large aggregation never stalls the caller's event loop. Default false.
   * Needs compiled code: the worker is a file of its own.
   */
  workerThread?: boolean;
}

/**
 * Starts a server for the MongoDB wire protocol on a unix socket that only this user can open.
 * @throws Error with a message of one line when the directory cannot be written, is locked, or its data is damaged
 */
export async function startEmbeddedMongodb(options: EmbeddedMongodbOptions = {}): Promise<EmbeddedMongodb> {
  // Not imported before it is needed: a process whose store is in a thread would load all of it twice.
  const start = options.workerThread ? startInWorker : (await import('./start.js')).start;
  const { close, ...store } = await start(options);
  let closing: Promise<void> | undefined;
  return { ...store, close: () => (closing ??= close()) };
}
