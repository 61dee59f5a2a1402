import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { mongo } from 'mongoose';
import { OWN_CONNECTION } from './driver-connection.js';

const PAUSE_MS = 2_000;
/** Unauthorized, AuthenticationFailed, and that of MongoDB Atlas: no waiting makes a wrong password right. */
const REFUSALS = new Set([13, 18, 8000]);

/**
 * Waits until the server of `MONGODB_URI` answers, however long that takes: at a common start it may be the last to
 * come up. Says so once, in one line.
 * @param isPatient false: it is asked once
 * @returns the same address
 * @throws Error when the address cannot be read, or asks for what is not safe; when the server answers, and cannot do
 *   transactions or takes the credentials for wrong; and when it does not answer, and nobody waits
 */
export async function waitForServer(uri: string, isPatient: boolean): Promise<string> {
  const logger = new Logger('Database');
  for (let attempt = 1; ; attempt += 1) {
    try {
      await assertTransactions(uri);
      if (attempt > 1) logger.log('The database answers');
      return uri;
    } catch (error) {
      if (!(error instanceof mongo.MongoError) && !isOfDns(error)) throw error;
      if (error instanceof mongo.MongoServerError && REFUSALS.has(Number(error.code))) {
        throw new Error(`The database of MONGODB_URI refuses this user: ${error.message}`, { cause: error });
      }
      if (!isPatient)
        throw new Error(`The database of MONGODB_URI does not answer: ${error.message}`, { cause: error });
      if (attempt === 1)
        logger.warn(`Waiting for the database of MONGODB_URI, which does not answer: ${error.message}`);
      await pause(PAUSE_MS);
    }
  }
}

/** The driver lets it through as it is, of the look-up that `mongodb+srv://` begins with. */
function isOfDns(error: unknown): error is Error {
  return String((error as NodeJS.ErrnoException).syscall).startsWith('query');
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

/** What an address may ask for beside a server must not undo what the service promises. */
function assertSafe({ readPreference, writeConcern }: mongo.MongoOptions): void {
  if (readPreference.mode !== 'primary')
    throw new Error(
      `MONGODB_URI must not ask for readPreference=${readPreference.mode}: secondaries lag behind, and would let in whose session has ended`,
    );
  if (writeConcern?.w === 0)
    throw new Error('MONGODB_URI must not ask for w=0: nobody would know whether anything is stored');
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
