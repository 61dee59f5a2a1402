import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_PATH, privateDirectory, removeSocket, temporaryDirectory } from './directory.js';
import { Engine } from './engine/engine.js';
import { claim, release } from './ownership.js';
import { WireServer } from './server.js';
import { checkDataFile } from './storage/data-file.js';
import type { ExitLock } from './storage/exit-lock.js';
import { Store } from './storage/store.js';

export interface EmbeddedMongodb {
  /** Connection string; the database name goes into the driver's dbName option. */
  readonly uri: string;
  /** True when another process already serves the directory and this one only connects to it. */
  readonly attached: boolean;
  /** Finishes running writes and stops; once, however often it is called. A store that is attached to keeps running. */
  close(): Promise<void>;
}

export interface StartOptions {
  /** Where documents are kept. Absent: a throw-away store, gone at close(). */
  directory?: string | undefined;
  /** How long another process that serves the directory is given to end, before this one is attached to it. Default 0. */
  waitForOwnerMs?: number | undefined;
  /** Whether close() waits until no other process uses the store. Default false: it is gone for them at once. */
  closesLast?: boolean | undefined;
}

const DRIVER_OPTIONS = new URLSearchParams({
  // The set name a server reports is only looked at without it, and would send the driver searching.
  directConnection: 'true',
  // The driver (7.9) looks for a server anew when a connection closes. When its monitor's closes at the same moment it asks
  // there, waits for ever, and knows no server until it ends. Looking often, and not that soon again, is by timer alone.
  heartbeatFrequencyMS: '500',
  minHeartbeatFrequencyMS: '1000',
});

const START_TIMEOUT_MS = 10_000;
/** Far longer than an owner takes from its claim to its socket. Only for owners whose life cannot be checked from here. */
const TAKE_OVER_MS = 2_000;
/** Of a connection where nobody listens. Any other error may be that of an owner that is too busy to answer. */
const NOBODY_THERE = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'];
const RETRY_MS = 25;

/**
 * @param exitLock in a worker thread: what the end of the process waits for
 * @throws Error as startInDirectory()
 */
export function start({ directory, ...options }: StartOptions, exitLock?: ExitLock): Promise<EmbeddedMongodb> {
  return directory === undefined ? startTemporary(exitLock) : startInDirectory(directory, options, exitLock);
}

/** Removed with the process at the latest: by one listener, as Node takes more than ten for a leak. */
const temporary = new Set<string>();
process.once('exit', () => temporary.forEach(removeTemporary));

function removeTemporary(path: string): void {
  rmSync(path, { recursive: true, force: true });
  temporary.delete(path);
}

/** A store that exists until it is closed, or until the process ends. */
async function startTemporary(exitLock?: ExitLock): Promise<EmbeddedMongodb> {
  const { path, dataFile, socketPath } = temporaryDirectory();
  temporary.add(path);
  const store = await serve(new Engine(Store.open(dataFile, false, exitLock)), socketPath);
  return { ...store, close: () => store.close().then(() => removeTemporary(path)) };
}

/**
 * Serves a directory, or connects to the process that does.
 * @throws Error when the directory or its data cannot be used, or its owner does not answer
 */
async function startInDirectory(
  directory: string,
  { waitForOwnerMs = 0, closesLast = false }: StartOptions,
  exitLock?: ExitLock,
): Promise<EmbeddedMongodb> {
  const { dataFile, socketPath } = privateDirectory(directory);
  // Containers that share the directory share no other, such as /tmp: its owner could not be asked.
  const isSocketShared = dirname(socketPath) === dirname(dataFile);
  const began = performance.now();
  let answeredAt = began;
  for (;;) {
    const connection = await connectionTo(socketPath);
    const now = performance.now();
    if (connection) {
      if (now - began >= waitForOwnerMs) return attach(connection, socketPath);
      connection.destroy();
      answeredAt = now;
    } else {
      const mayTakeOver = isSocketShared && now - answeredAt >= TAKE_OVER_MS;
      const opened = await open(dataFile, directory, mayTakeOver, exitLock);
      if (typeof opened !== 'number') {
        // As the owner we know that nobody listens on what a crash left there.
        removeSocket(socketPath);
        // Node itself has removed the socket by then, so that after the release there is none but the next owner's.
        return serve(opened, socketPath, closesLast, () => release(opened.store));
      }
      if (now - began > START_TIMEOUT_MS) {
        const remedy = isSocketShared
          ? ''
          : `; if it died in another container: only a path of at most ${LONGEST_PATH} bytes can tell`;
        throw new Error(`The directory ${directory} is locked: process ${opened} uses it but does not answer${remedy}`);
      }
    }
    // The owner has just started and will listen in a moment, or is about to end.
    await sleep(RETRY_MS);
  }
}

/** The opened store, or the id of the process it belongs to. */
async function open(
  dataFile: string,
  directory: string,
  mayTakeOver: boolean,
  exitLock?: ExitLock,
): Promise<Engine | number> {
  let store: Store | undefined;
  try {
    checkDataFile(dataFile);
    store = Store.open(dataFile, true, exitLock);
    const owner = claim(store, mayTakeOver);
    if (owner === undefined) return loaded(store);
    await store.close();
    return owner;
  } catch (error) {
    await store?.close().catch(() => undefined);
    const { message } = error as Error;
    throw new Error(`The data of the embedded store in ${directory} cannot be opened: ${message}`, { cause: error });
  }
}

function loaded(store: Store): Engine {
  try {
    return new Engine(store);
  } catch (error) {
    release(store);
    throw error;
  }
}

/** @param connection kept until close(), so that an owner who closes last sees that the store is used */
function attach(connection: Socket, socketPath: string): EmbeddedMongodb {
  connection.unref();
  return { uri: uriOf(socketPath), attached: true, close: async () => void connection.destroy() };
}

async function serve(
  engine: Engine,
  socketPath: string,
  closesLast = false,
  beforeClose?: () => void,
): Promise<EmbeddedMongodb> {
  const server = new WireServer(engine, beforeClose);
  await server.listen(socketPath);
  const close = async (): Promise<void> => {
    if (closesLast) await server.unused();
    return server.close();
  };
  return { uri: uriOf(socketPath), attached: false, close };
}

function uriOf(socketPath: string): string {
  return `mongodb://${encodeURIComponent(socketPath)}/?${DRIVER_OPTIONS}`;
}

/** A connection to the owner, possibly one that failed; undefined where nobody listens. */
function connectionTo(socketPath: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => resolve(socket));
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(NOBODY_THERE.includes(String(code)) ? undefined : socket),
    );
  });
}
