import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  startEmbeddedMongodb,
  type EmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';

const { MongoClient } = mongoose.mongo;

/** What a suite has at hand that is about the embedded store alone, and never about MongoDB. */
interface StoreSuite {
  store: EmbeddedMongodb;
  client: mongoose.mongo.MongoClient;
  things(): mongoose.mongo.Collection;
}

/** Gives the suite at hand a throw-away store of its own, whose database `test` is empty for each test. */
export function storeSuite(): StoreSuite {
  const suite = { things: () => suite.client.db('test').collection('things') } as StoreSuite;
  beforeAll(async () => {
    suite.store = await startEmbeddedMongodb();
    suite.client = await MongoClient.connect(suite.store.uri);
  });
  beforeEach(() => suite.client.db('test').dropDatabase());
  afterAll(async () => {
    await suite.client.close();
    await suite.store.close();
  });
  return suite;
}

/** @returns the error that it rejects with, for looking at any of its fields */
export const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: { code: number; message: string }) => error,
  );
