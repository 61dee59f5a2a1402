import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { translateDatabaseError } from './database-error-translator.js';

describe('An error of the database', () => {
  it.each([
    Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
    new TypeError('error.hasErrorLabel is not a function'),
    new mongoose.mongo.MongoNetworkError('connection closed'),
    new mongoose.mongo.MongoTopologyClosedError('Topology is closed'),
    new mongoose.mongo.MongoServerError({ message: 'Write conflict', code: 112 }),
  ])('that passes by is a 503: %s', (error) => {
    expect(translateDatabaseError(error)).toMatchObject({ status: 503, code: 'service_unavailable' });
  });

  it.each([
    new TypeError('a.b is not a function'),
    new mongoose.mongo.MongoInvalidArgumentError('Document must not be empty'),
    new mongoose.mongo.MongoTransactionError('Transaction already in progress'),
    new mongoose.mongo.MongoServerError({ message: 'unknown operator', code: 2 }),
    null,
    undefined,
  ])('that is a fault of ours stays one: %s', (error) => {
    expect(translateDatabaseError(error)).toBeNull();
  });
});
