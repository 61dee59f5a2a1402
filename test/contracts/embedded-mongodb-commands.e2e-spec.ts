import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

describe(`A command on ${SERVER}`, () => {
  const suite = driverSuite();
  const run = async (command: Fields) => suite.connection.db?.command(command);

  it.each<[string, (name: string) => Fields]>([
    ['find', (find) => ({ find, filer: { a: 2 } })],
    ['count', (count) => ({ count, filter: { a: 2 } })],
    ['distinct', (distinct) => ({ distinct, key: 'a', filter: { a: 2 } })],
    ['aggregate', (aggregate) => ({ aggregate, pipeline: [], cursor: {}, batchSize: 1 })],
    ['insert', (insert) => ({ insert, documents: [{ a: 2 }], order: false })],
    ['update', (update) => ({ update, updates: [{ q: {}, u: { $set: { a: 2 } } }], multi: true })],
    ['delete', (name) => ({ delete: name, deletes: [{ q: {}, limit: 0 }], limit: 1 })],
    ['findAndModify', (findAndModify) => ({ findAndModify, query: {}, update: { a: 2 }, filter: { a: 2 } })],
    ['findandmodify', (findandmodify) => ({ findandmodify, query: {}, update: { a: 2 }, filter: { a: 2 } })],
    ['create', (create) => ({ create: `${create}-2`, caped: true })],
    ['drop', (drop) => ({ drop, really: true })],
    ['createIndexes', (createIndexes) => ({ createIndexes, indexes: [{ key: { a: 1 }, name: 'a' }], unique: true })],
    ['dropIndexes', (dropIndexes) => ({ dropIndexes, index: '*', name: 'a' })],
    ['listCollections', () => ({ listCollections: 1, names: true })],
    ['explain', (find) => ({ explain: { find, filer: { a: 2 } } })],
  ])('%s with a field that nobody knows is refused, and nothing happens', async (_name, command) => {
    const { things } = suite;
    await things.insertOne({ _id: 1 as never, a: 1 });
    await expect(run(command(things.collectionName))).rejects.toMatchObject({ code: 40415 });
    expect(await things.find().toArray()).toEqual([{ _id: 1, a: 1 }]);
    expect(await things.indexes()).toHaveLength(1);
  });

  it.each<[string, Fields, number]>([
    ['an update', { updates: [{ q: {}, u: { $set: { a: 2 } }, upsret: true }] }, 40415],
    ['an update of all in an order', { updates: [{ q: {}, u: { $set: { a: 2 } }, multi: true, sort: { a: 1 } }] }, 9],
    ['a deletion', { deletes: [{ q: {}, limit: 0, sort: { a: 1 } }] }, 40415],
    ['a deletion of two', { deletes: [{ q: {}, limit: 2 }] }, 9],
    ['a deletion without a filter', { deletes: [{ limit: 0 }] }, 40414],
    ['a deletion by nothing', { deletes: [{ q: null, limit: 0 }] }, 40414],
    ['an update without a filter', { updates: [{ u: { $set: { a: 2 } } }] }, 40414],
  ])('%s whose statement says what nobody knows is refused, and nothing happens', async (_name, statements, code) => {
    const { things } = suite;
    await things.insertOne({ _id: 1 as never, a: 1 });
    const command = 'updates' in statements ? { update: things.collectionName } : { delete: things.collectionName };
    const outcome = await run({ ...command, ...statements }).then(
      (reply) => (reply?.['writeErrors'] as Fields[] | undefined)?.[0],
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({ code });
    expect(await things.find().toArray()).toEqual([{ _id: 1, a: 1 }]);
  });

  it('reads with a concern that there is', async () => {
    const find = suite.things.collectionName;
    for (const level of ['local', 'majority']) await run({ find, readConcern: { level } });
    await expect(run({ find, readConcern: { level: 'Majority' } })).rejects.toMatchObject({ code: 2 });
  });

  it('for more of a cursor names it by a long', async () => {
    const getMore = { getMore: 1, collection: suite.things.collectionName };
    await expect(run(getMore)).rejects.toMatchObject({ code: 14 });
  });

  it('that writes its outcome into a collection says no more than which', async () => {
    await suite.things.insertOne({ a: 1 });
    const out = { db: suite.connection.name, coll: 'never', mode: 'replace' };
    await expect(suite.aggregate({ $out: out })).rejects.toThrow(mongoose.mongo.MongoServerError);
    expect(await suite.connection.db?.listCollections({ name: 'never' }).toArray()).toEqual([]);
  });

  it('that aggregates explains itself when it is asked to', async () => {
    const { things } = suite;
    await things.createIndex({ a: 1 });
    const aggregate = { aggregate: things.collectionName, pipeline: [{ $match: { a: 1 } }], cursor: {} };
    const explained = JSON.stringify(await run({ ...aggregate, explain: true }));
    expect(explained).toContain('"IXSCAN"');
    expect(explained).not.toContain('executionStats');
    await expect(run({ explain: aggregate, verbosity: 'much' })).rejects.toMatchObject({ code: 2 });
  });
});
