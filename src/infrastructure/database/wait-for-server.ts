import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { mongo } from 'mongoose';
import { OWN_CONNECTION } from './driver-connection.js';

const PAUSE_MS = 2_000;
/** Some vary with each attempt, as those that contain a time. */
const MOST_REASONS = 10;
/** Unauthorized, AuthenticationFailed, and Atlas' own code for these: waiting would not help. */
const REFUSALS = new Set([13, 18, 8000]);
/** Those that every command takes, also within a transaction. */
const READ_CONCERNS = ['local', 'majority'];

/**
 * Waits until the server of `MONGODB_URI` answers, however long that takes: when everything is started together, it may come up
 * last. It logs that it waits, and why: each reason once.
 * @param isPatient false to try only once
 * @returns the same address
 * @throws Error if the address is malformed or has unsafe options; if the server has no transactions, or refuses the
 *   credentials; if it does not answer, and `isPatient` is false
 */
export async function waitForServer(uri: string, isPatient: boolean): Promise<string> {
  const logger = new Logger('Database');
  const told = new Set<string>();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await assertTransactions(uri);
      if (attempt > 1) logger.log('The database answers');
      return uri;
    } catch (error) {
      if (isOfFile(error)) throw new Error(`A file of MONGODB_URI cannot be read: ${error.message}`, { cause: error });
      if (!(error instanceof mongo.MongoError) && !isOfDns(error)) throw error;
      if (error instanceof mongo.MongoServerError && REFUSALS.has(Number(error.code))) {
        throw new Error(`The database of MONGODB_URI refuses this user: ${error.message}`, { cause: error });
      }
      const reason = reasonOf(error);
      if (!isPatient) throw new Error(`The database of MONGODB_URI does not answer: ${reason}`, { cause: error });
      if (!told.has(reason) && told.size < MOST_REASONS)
        logger.warn(`Waiting for the database of MONGODB_URI, which does not answer: ${reason}`);
      told.add(reason);
      await pause(PAUSE_MS);
    }
  }
}

/** An error of the DNS look-up for `mongodb+srv://`, which the driver passes on unwrapped. */
function isOfDns(error: unknown): error is Error {
  return String((error as NodeJS.ErrnoException).syscall).startsWith('query');
}

/** An error of a certificate or key that the address names (`tlsCAFile`, `tlsCertificateKeyFile`). */
function isOfFile(error: unknown): error is Error {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return syscall === 'open' || code === 'EISDIR';
}

/** Of servers that are there, but of another replica set, the driver says that they took too long. */
function reasonOf(error: Error): string {
  const isOfAnotherSet = error instanceof mongo.MongoServerSelectionError && error.reason?.servers.size === 0;
  return isOfAnotherSet ? 'none of its servers is of the replica set that its option replicaSet names' : error.message;
}

async function assertTransactions(uri: string): Promise<void> {
  const client = clientOf(uri);
  assertSafe(client.options);
  try {
    const hello = await client.db('admin').command({ hello: 1 });
    const hasTransactions = hello.setName !== undefined || hello.msg === 'isdbgrid';
    if (!hasTransactions)
      throw new Error('MONGODB_URI must be a replica set or a cluster: a single server has no transactions');
  } finally {
    await client.close();
  }
}

/** Refuses options of the address that would break the service's promises. */
function assertSafe({ readPreference, writeConcern, readConcern, retryWrites }: mongo.MongoOptions): void {
  if (readPreference.mode !== 'primary')
    throw new Error(
      `MONGODB_URI must not ask for readPreference=${readPreference.mode}: secondaries lag behind, and would let in whose session has ended`,
    );
  const { w = 'majority', journal = true } = writeConcern ?? {};
  if (w !== 'majority' || !journal)
    throw new Error(
      `MONGODB_URI must not ask for ${journal ? `w=${w}` : 'journal=false'}: only what a majority has on disk surely survives a new primary`,
    );
  const { level = 'local' } = readConcern ?? {};
  if (!READ_CONCERNS.includes(level))
    throw new Error(
      `MONGODB_URI must not ask for readConcernLevel=${level}: not every command that the service uses can be asked for it`,
    );
  if (!retryWrites)
    throw new Error(
      'MONGODB_URI must not ask for retryWrites=false: each write would fail that meets a new primary, or a lost connection',
    );
}

function clientOf(uri: string): mongo.MongoClient {
  try {
    return new mongo.MongoClient(uri, {
      serverSelectionTimeoutMS: 3_000,
      connectTimeoutMS: 3_000,
      ...OWN_CONNECTION,
    });
  } catch (error) {
    throw new Error(`MONGODB_URI cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
