import { randomUUID } from 'node:crypto';
import { type Connection, type Model, type mongo, Mongoose, Schema } from 'mongoose';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';

/** The same expectations hold for MongoDB: set MONGODB_URI to a replica set to see it. */
const mongodbUri = process.env['MONGODB_URI'];

export const isMongodb = mongodbUri !== undefined;
export const SERVER = isMongodb ? 'MongoDB' : 'the embedded store';

/** One of the suites' own: the service changes settings of the one that the package exports. */
export const mongoose = new Mongoose();

interface ContractDatabase {
  connection: Connection;
  /** Drops the database first. */
  close(): Promise<void>;
}

/** A new database of that server, or of a throw-away store. */
async function openContractDatabase(): Promise<ContractDatabase> {
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
  things: mongo.Collection<Fields>;
  aggregate(...pipeline: Fields[]): Promise<Fields[]>;
  /** What stages make of these documents alone, which come without an _id. */
  over(documents: Fields[], ...stages: Fields[]): Promise<Fields[]>;
  /** What an expression makes of a document. */
  valueOf(document: Fields, expression: unknown): Promise<unknown>;
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
    valueOf: async (document, value) => (await suite.over([document], { $project: { value } }))[0]?.['value'],
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

/** What a suite of Mongoose has at hand. */
interface MongooseSuite {
  connection: Connection;
  /** A new model for one test. */
  model<T>(definition: Fields, options?: Fields, indexes?: unknown[][]): Model<T>;
}

/** Gives the suite at hand a database of its own, which is empty for each test. */
export function mongooseSuite(): MongooseSuite {
  const suite = {
    model: <T>(definition: Fields, options: Fields = {}, indexes: unknown[][] = []) => {
      const schema = new Schema(definition as never, options as never);
      for (const [fields, settings] of indexes) schema.index(fields as never, settings as never);
      return suite.connection.model<T>(`Model${randomUUID()}`, schema as never);
    },
  } as MongooseSuite;
  let database: ContractDatabase;
  beforeAll(async () => {
    database = await openContractDatabase();
    suite.connection = database.connection;
  });
  beforeEach(async () => {
    await suite.connection.dropDatabase();
  });
  afterAll(() => database.close());
  return suite;
}
