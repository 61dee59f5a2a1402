import { describe, expect, it } from 'vitest';
import { errorOf, storeSuite } from './embedded-mongodb-store.js';

describe('The embedded store', () => {
  const suite = storeSuite();

  it.each<[string, () => Promise<unknown>]>([
    ['change streams', () => suite.things().watch().next()],
    ['geo indexes', () => suite.things().createIndex({ at: '2dsphere' })],
    ['text indexes', () => suite.things().createIndex({ at: 'text' })],
    ['wildcard indexes', () => suite.things().createIndex({ '$**': 1 })],
    ['hidden indexes', () => suite.things().createIndex({ at: 1 }, { hidden: true })],
    ['changes of a collection', () => suite.client.db('test').command({ collMod: 'things', index: { name: '_id_' } })],
    ['new names of collections', () => suite.things().rename('others')],
    ['geo queries', () => suite.things().findOne({ at: { $near: [1, 2] } })],
    ['text queries', () => suite.things().findOne({ $text: { $search: 'a' } })],
    ['$where', () => suite.things().findOne({ $where: 'true' })],
    [
      '$function',
      () =>
        suite
          .things()
          .aggregate([{ $project: { a: { $function: { body: 'x', args: [], lang: 'js' } } } }])
          .next(),
    ],
    [
      'snapshots outside of transactions',
      () => suite.client.withSession({ snapshot: true }, (session) => suite.things().findOne({}, { session })),
    ],
    ['views', () => suite.client.db('test').createCollection('view', { viewOn: 'things', pipeline: [] })],
    ['capped collections', () => suite.client.db('test').createCollection('capped', { capped: true, size: 100 })],
    ['time series', () => suite.client.db('test').createCollection('series', { timeseries: { timeField: 't' } })],
    ['validators', () => suite.client.db('test').createCollection('valid', { validator: { a: 1 } })],
    ['users', () => suite.client.db('test').command({ createUser: 'x', pwd: 'x', roles: [] })],
    ['tailable cursors', () => suite.things().find({}, { tailable: true }).next()],
    ...['$setWindowFields', '$densify', '$fill', '$redact', '$bucketAuto', '$geoNear', '$collStats', '$nope'].map(
      (stage): [string, () => Promise<unknown>] => [
        `the stage ${stage}`,
        () =>
          suite
            .things()
            .aggregate([{ [stage]: {} }])
            .next(),
      ],
    ),
    ...['$zip', '$bitAnd', '$topN', '$percentile', '$sin', '$toUUID', 'constructor', '__proto__'].map(
      (operator): [string, () => Promise<unknown>] => [
        `the operator ${operator}`,
        () =>
          suite
            .things()
            .aggregate([{ $project: { a: JSON.parse(`{"$${operator.replace('$', '')}": [1, 2]}`) as object } }])
            .next(),
      ],
    ),
    [
      'an accumulator that it lacks',
      () =>
        suite
          .things()
          .aggregate([{ $group: { _id: null, a: { $top: { sortBy: { a: 1 }, output: '$a' } } } }])
          .next(),
    ],
  ])('refuses %s and names MongoDB as the answer', async (_feature, use) => {
    await suite.things().insertOne({ a: 1 });
    expect(await errorOf(use())).toMatchObject({ message: expect.stringContaining('use MongoDB for it') });
  });
});
