import { randomUUID } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';

/** The same expectations hold for MongoDB: set MONGODB_URI to a replica set to see it. */
const mongodbUri = process.env['MONGODB_URI'];

export const isMongodb = mongodbUri !== undefined;
export const SERVER = isMongodb ? 'MongoDB' : 'the embedded store';

export interface ContractDatabase {
  connection: Connection;
  /** Drops the database first. */
  close(): Promise<void>;
}

/** A new database of that server, or of a throw-away store. */
export async function openContractDatabase(): Promise<ContractDatabase> {
  const store = mongodbUri === undefined ? await startEmbeddedMongodb() : undefined;
  const uri = mongodbUri ?? (store?.uri as string);
  const connection = await mongoose.createConnection(uri, { dbName: `contract-${randomUUID()}` }).asPromise();
  const close = async (): Promise<void> => {
    await connection.dropDatabase();
    await connection.close();
    await store?.close();
  };
  return { connection, close };
}
