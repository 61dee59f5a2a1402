import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { MongooseModuleFactoryOptions } from '@nestjs/mongoose';
import mongoose, { type Connection } from 'mongoose';
import type { Config } from '../config/index.js';
import { OWN_CONNECTION } from './driver-connection.js';
import { type EmbeddedMongodb, startEmbeddedMongodb } from './embedded-mongodb/index.js';
import { waitForServer } from './wait-for-server.js';

/** The database's name where the connection string gives none. */
const DATABASE_NAME = 'accounts';
/** By then a command of an operator has ended, and mostly a service that is being stopped, which may take 10 s. */
const WAIT_FOR_OWNER_MS = 5_000;
/** The driver tries an operation twice: two socket time-outs must stay below the 5 s within which a request is answered. */
const TIMEOUTS = {
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 2_000,
  waitQueueTimeoutMS: 3_000,
};
/**
 * Said with every write: what a server takes for granted may be less (with an arbiter, a single member). Where the majority lags, the
 * server says so before the socket times out, which would cost a connection.
 */
const WRITES = { w: 'majority', wtimeoutMS: 1_500 } as const;

/** The database's server: that of `MONGODB_URI`, or the embedded store, which is started here. */
export class DatabaseServer {
  private readonly closeHooks: (() => Promise<void>)[] = [];

  /** @param isAwaited whether a server that is not there yet is waited for */
  private constructor(
    readonly uri: string,
    private readonly embedded: EmbeddedMongodb | null,
    readonly isAwaited: boolean,
  ) {}

  get isEmbedded(): boolean {
    return this.embedded !== null;
  }

  /** @throws Error with one clear line if the store cannot be opened, another process uses it, or a command finds none */
  static async open(config: Config): Promise<DatabaseServer> {
    const { uri, isForCommand } = config.mongodb;
    const isAwaited = !isForCommand;
    if (uri) return new DatabaseServer(await waitForServer(uri, isAwaited), null, isAwaited);
    const directory = config.environment === 'test' ? undefined : join(config.dataDirectory, 'mongodb');
    if (isForCommand) assertReachable(directory);
    const embedded = await startEmbeddedMongodb({
      directory,
      workerThread: config.environment !== 'test',
      waitForOwnerMs: isForCommand ? 0 : WAIT_FOR_OWNER_MS,
      // Other commands may use it meanwhile; a service lets none of them delay its end.
      closesLast: isForCommand,
    });
    if (embedded.attached && !isForCommand) {
      // Two services would each have a cache of their own, and not notice sessions that the other one ends.
      await embedded.close();
      throw new Error(
        `DATA_DIR ${config.dataDirectory} is in use by another process: stop it, or set another DATA_DIR`,
      );
    }
    return new DatabaseServer(embedded.uri, embedded, isAwaited);
  }

  /** Registers work to be done when the application closes, before the connection does. */
  beforeClose(work: () => Promise<void>): void {
    this.closeHooks.push(work);
  }

  /** Closes the connection before the store: closing ends sessions on the server, and would wait half a minute for one that is gone. */
  async close(connection: Connection | null): Promise<void> {
    await Promise.allSettled(this.closeHooks.map((work) => work()));
    await connection?.close();
    await this.embedded?.close();
  }
}

/** @throws Error if no command can reach the store */
function assertReachable(directory: string | undefined): void {
  if (!directory) {
    const remedy = 'set another, or MONGODB_URI';
    throw new Error(`With NODE_ENV=test a service has a store of its own, which no command reaches: ${remedy}`);
  }
  if (existsSync(directory)) return;
  throw new Error(`There is no store in ${directory}: set DATA_DIR or MONGODB_URI, as the service has it`);
}

export function mongooseOptions(server: DatabaseServer): MongooseModuleFactoryOptions {
  // Every model call inside connection.transaction() joins the transaction: no session has to be passed through the layers, and
  // none can be forgotten.
  mongoose.set('transactionAsyncLocalStorage', true);
  const logger = new Logger('Database');
  const hasDatabaseName = /^mongodb(\+srv)?:\/\/[^/]+\/[^?]+/.test(server.uri);
  return {
    uri: server.uri,
    ...(hasDatabaseName ? {} : { dbName: DATABASE_NAME }),
    ...TIMEOUTS,
    ...WRITES,
    ...OWN_CONNECTION,
    // For retryable writes the store would have to keep each reply, a quarter of its work. Its connection is within this
    // process, and cannot break while the store lives.
    ...(server.isEmbedded ? { retryWrites: false } : {}),
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
    retryAttempts: server.isAwaited ? Number.MAX_SAFE_INTEGER : 1,
    retryDelay: 1_000,
    connectionFactory: (connection: Connection) => {
      let isClosing = false;
      connection.on('disconnecting', () => (isClosing = true));
      connection.on('disconnected', () => {
        if (!isClosing) logger.warn('The database is unavailable: requests that need it get 503');
      });
      connection.on('reconnected', () => logger.log('The database is back'));
      connection.on('error', (error: Error) => logger.warn(`Database connection: ${error.name}`));
      return connection;
    },
  };
}
