import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startEmbeddedMongodb,
  type EmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';

const { MongoClient } = mongoose.mongo;

describe('The embedded store', () => {
  let store: EmbeddedMongodb;
  let client: InstanceType<typeof MongoClient>;

  beforeAll(async () => {
    store = await startEmbeddedMongodb();
    client = await MongoClient.connect(store.uri);
  });

  beforeEach(() => client.db('test').dropDatabase());

  afterAll(async () => {
    await client.close();
    await store.close();
  });

  const things = () => client.db('test').collection('things');
  const errorOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no error',
      (error: { code: number; message: string }) => error,
    );

  it.each<[string, () => Promise<unknown>]>([
    ['change streams', () => things().watch().next()],
    ['geo indexes', () => things().createIndex({ at: '2dsphere' })],
    ['text indexes', () => things().createIndex({ at: 'text' })],
    ['wildcard indexes', () => things().createIndex({ '$**': 1 })],
    ['hidden indexes', () => things().createIndex({ at: 1 }, { hidden: true })],
    ['changes of a collection', () => client.db('test').command({ collMod: 'things', index: { name: '_id_' } })],
    ['new names of collections', () => things().rename('others')],
    ['geo queries', () => things().findOne({ at: { $near: [1, 2] } })],
    ['text queries', () => things().findOne({ $text: { $search: 'a' } })],
    ['$where', () => things().findOne({ $where: 'true' })],
    [
      '$function',
      () =>
        things()
          .aggregate([{ $project: { a: { $function: { body: 'x', args: [], lang: 'js' } } } }])
          .next(),
    ],
    ['views', () => client.db('test').createCollection('view', { viewOn: 'things', pipeline: [] })],
    ['capped collections', () => client.db('test').createCollection('capped', { capped: true, size: 100 })],
    ['time series', () => client.db('test').createCollection('series', { timeseries: { timeField: 't' } })],
    ['validators', () => client.db('test').createCollection('valid', { validator: { a: 1 } })],
    ['users', () => client.db('test').command({ createUser: 'x', pwd: 'x', roles: [] })],
    ['tailable cursors', () => things().find({}, { tailable: true }).next()],
    ...['$setWindowFields', '$densify', '$fill', '$redact', '$bucketAuto', '$geoNear', '$collStats', '$nope'].map(
      (stage): [string, () => Promise<unknown>] => [
        `the stage ${stage}`,
        () =>
          things()
            .aggregate([{ [stage]: {} }])
            .next(),
      ],
    ),
    ...['$zip', '$bitAnd', '$topN', '$percentile', '$sin', '$toUUID', 'constructor', '__proto__'].map(
      (operator): [string, () => Promise<unknown>] => [
        `the operator ${operator}`,
        () =>
          things()
            .aggregate([{ $project: { a: JSON.parse(`{"$${operator.replace('$', '')}": [1, 2]}`) as object } }])
            .next(),
      ],
    ),
    [
      'an accumulator that it lacks',
      () =>
        things()
          .aggregate([{ $group: { _id: null, a: { $top: { sortBy: { a: 1 }, output: '$a' } } } }])
          .next(),
    ],
  ])('refuses %s and names MongoDB as the answer', async (_feature, use) => {
    await things().insertOne({ a: 1 });
    expect(await errorOf(use())).toMatchObject({ message: expect.stringContaining('use MongoDB for it') });
  });
});
