import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { duplicateKeyField, translateDatabaseError } from './database-error-translator.js';

describe('An error of the database', () => {
  it.each([
    Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
    new TypeError('error.hasErrorLabel is not a function'),
    new mongoose.mongo.MongoNetworkError('connection closed'),
    new mongoose.mongo.MongoTopologyClosedError('Topology is closed'),
    new mongoose.mongo.MongoServerError({ message: 'Write conflict', code: 112 }),
    new mongoose.mongo.MongoBulkWriteError(new mongoose.mongo.MongoNetworkError('read ECONNRESET'), {} as never),
    new mongoose.mongo.MongoBulkWriteError({ message: 'Write conflict', code: 112 }, {} as never),
    new mongoose.mongo.MongoWriteConcernError({ ok: 1, writeConcernError: { code: 100, errmsg: 'too few members' } }),
    new mongoose.mongo.MongoNotConnectedError('Client must be connected'),
    new mongoose.mongo.MongoExpiredSessionError('Cannot use a session that has ended'),
    new mongoose.MongooseError('Operation `users.findOne()` buffering timed out after 10000ms'),
  ])('that passes by is a 503: %s', (error) => {
    expect(translateDatabaseError(error)).toMatchObject({ status: 503, code: 'service_unavailable' });
  });

  // From HostUnreachable to InterruptedDueToFCVChange, by the list of MongoDB's error codes.
  it.each([
    6, 7, 24, 43, 46, 50, 64, 89, 91, 112, 133, 134, 175, 189, 202, 225, 237, 239, 246, 250, 251, 262, 267, 272, 281,
    282, 290, 314, 355, 365, 371, 384, 402, 407, 433, 449, 450, 453, 462, 9001, 10107, 11600, 11601, 11602, 13435,
    13436, 14031, 46841, 91331, 10045600,
  ])('that another attempt may not meet is a 503: code %d of the server', (code) => {
    const error = new mongoose.mongo.MongoServerError({ message: 'not now', code });
    expect(translateDatabaseError(error)).toMatchObject({ status: 503 });
  });

  it.each([
    'TransientTransactionError',
    'RetryableWriteError',
    'UnknownTransactionCommitResult',
    'SystemOverloadedError',
  ])('that is worth another attempt by its label is a 503: %s', (label) => {
    const error = new mongoose.mongo.MongoServerError({ message: 'not now', code: 1, errorLabels: [label] });
    expect(translateDatabaseError(error)).toMatchObject({ status: 503 });
  });

  it.each(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'])(
    'that is one of its connection is a 503: %s',
    (code) => {
      expect(translateDatabaseError(Object.assign(new Error('broken'), { code }))).toMatchObject({ status: 503 });
    },
  );

  it.each([
    new TypeError('a.b is not a function'),
    new mongoose.mongo.MongoInvalidArgumentError('Document must not be empty'),
    new mongoose.mongo.MongoTransactionError('Transaction already in progress'),
    new mongoose.mongo.MongoServerError({ message: 'unknown operator', code: 2 }),
    new mongoose.mongo.MongoBulkWriteError({ message: 'E11000 duplicate key', code: 11000 }, {} as never),
    new mongoose.mongo.MongoParseError('Invalid connection string'),
    new mongoose.MongooseError('Cast to ObjectId failed'),
    Object.assign(new Error('no such file'), { code: 'ENOENT' }),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    Object.assign(new (class RequestError extends Error {})('another service'), { code: 'ECONNREFUSED' }),
    null,
    undefined,
  ])('that is a fault of ours stays one: %s', (error) => {
    expect(translateDatabaseError(error)).toBeNull();
  });
});

describe('A write that a unique index refuses', () => {
  const refusal = (keyPattern: object | undefined, code = 11000) =>
    new mongoose.mongo.MongoServerError({ message: 'E11000 duplicate key', code, keyPattern });

  it('is told by the last field of the index', () => {
    expect(duplicateKeyField(refusal({ email_key: 1 }))).toBe('email_key');
    expect(duplicateKeyField(refusal({ user: 1, fingerprint: 1 }))).toBe('fingerprint');
    expect(duplicateKeyField(refusal(undefined))).toBe('unknown');
  });

  it('is not what another error is', () => {
    expect(duplicateKeyField(refusal({ email_key: 1 }, 112))).toBeNull();
    expect(duplicateKeyField(new Error('E11000'))).toBeNull();
  });
});
