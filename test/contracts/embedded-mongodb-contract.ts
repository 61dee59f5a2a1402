import { randomUUID } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach } from 'vitest';
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

export type Fields = Record<string, unknown>;

/** What a suite of the driver has at hand. */
interface Suite {
  connection: Connection;
  /** A new collection for each test. */
  things: mongoose.mongo.Collection<Fields>;
  aggregate(...pipeline: Fields[]): Promise<Fields[]>;
  /** What stages make of these documents alone, which come without an _id. */
  over(documents: Fields[], ...stages: Fields[]): Promise<Fields[]>;
}

/** Gives the suite at hand a database of its own, which is gone after it. */
export function driverSuite(): Suite {
  const suite = {
    aggregate: (...pipeline) => suite.things.aggregate(pipeline).toArray() as Promise<Fields[]>,
    over: async (documents, ...stages) => {
      await suite.things.deleteMany({});
      // The driver gives what it writes an _id.
      if (documents.length > 0) await suite.things.insertMany(documents.map((one) => ({ ...one })));
      return suite.aggregate({ $unset: ['_id'] }, ...stages);
    },
  } as Suite;
  let database: ContractDatabase;
  beforeAll(async () => {
    database = await openContractDatabase();
    suite.connection = database.connection;
  });
  beforeEach(() => {
    suite.things = suite.connection.collection(`things-${randomUUID()}`) as never;
  });
  afterAll(() => database.close());
  return suite;
}
