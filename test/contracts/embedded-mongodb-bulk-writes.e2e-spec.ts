import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

describe(`A write of many, over several collections, on ${SERVER}`, () => {
  const suite = driverSuite();

  const bulk = async (models: (namespace: (name: string) => string) => object[], options = {}) => {
    const prefix = `${suite.connection.name}.bulk-${randomUUID()}`;
    const outcome = await suite.connection
      .getClient()
      .bulkWrite(models((name) => `${prefix}-${name}`) as never, { verboseResults: true, ...options })
      .catch((error: unknown) => error);
    const stored = (name: string) =>
      suite.connection
        .getClient()
        .db(suite.connection.name)
        .collection(`${prefix.split('.')[1]}-${name}`)
        .find({}, { projection: { _id: 0 }, sort: { n: 1 } })
        .toArray();
    return { outcome, stored };
  };

  it('does each in its turn, and says what became of it', async () => {
    const { outcome, stored } = await bulk((of) => [
      { namespace: of('a'), name: 'insertOne', document: { n: 1 } },
      { namespace: of('b'), name: 'insertOne', document: { n: 1 } },
      { namespace: of('a'), name: 'insertOne', document: { n: 2 } },
      { namespace: of('a'), name: 'updateMany', filter: {}, update: { $inc: { n: 10 } } },
      { namespace: of('b'), name: 'replaceOne', filter: { n: 9 }, replacement: { n: 9 }, upsert: true },
      { namespace: of('b'), name: 'updateOne', filter: { n: 1 }, update: { $set: { n: 1 } } },
      { namespace: of('a'), name: 'deleteOne', filter: { n: 11 } },
      { namespace: of('b'), name: 'deleteMany', filter: { n: 77 } },
    ]);
    expect(outcome).toMatchObject({
      insertedCount: 3,
      matchedCount: 3,
      modifiedCount: 2,
      upsertedCount: 1,
      deletedCount: 1,
    });
    const { updateResults, deleteResults } = outcome as Record<string, Map<number, object>>;
    expect(updateResults?.get(4)).toMatchObject({ upsertedId: expect.anything(), didUpsert: true });
    expect([6, 7].map((place) => deleteResults?.get(place))).toEqual([{ deletedCount: 1 }, { deletedCount: 0 }]);
    expect(await stored('a')).toEqual([{ n: 12 }]);
    expect(await stored('b')).toEqual([{ n: 1 }, { n: 9 }]);
  });

  it.each([
    [true, 1],
    [false, 2],
  ])('in order (%s), goes on behind a failure or does not', async (ordered, insertedCount) => {
    const { outcome } = await bulk(
      (of) => [1, 1, 2].map((_id) => ({ namespace: of('a'), name: 'insertOne', document: { _id } })),
      { ordered },
    );
    expect(outcome).toMatchObject({ partialResult: { insertedCount } });
    expect((outcome as { writeErrors: Map<number, object> }).writeErrors.get(1)).toMatchObject({ code: 11000 });
  });

  it('goes on behind thousands of failures, however much there is to say about them', async () => {
    await suite.things.createIndex({ url: 1 }, { unique: true });
    const many = Array.from({ length: 6_000 }, (_, i) => ({ url: 'u'.repeat(1_500) + i }));
    await suite.things.insertMany(many.map((one) => ({ ...one })));
    const again = [...many.map((one) => ({ ...one })), { url: 'new' }];
    const refused = await suite.things
      .insertMany(again, { ordered: false })
      .catch((error: mongoose.mongo.MongoBulkWriteError) => error);
    const { writeErrors, insertedCount } = refused as mongoose.mongo.MongoBulkWriteError;
    expect([[writeErrors].flat().length, insertedCount]).toEqual([many.length, 1]);
    expect(new Set([writeErrors].flat().map(({ code }) => code))).toEqual(new Set([11000]));
    expect(await suite.things.countDocuments()).toBe(many.length + 1);
  });

  it('tells of failures alone if that is asked', async () => {
    const ns = `${suite.connection.name}.bulk-${randomUUID()}`;
    const admin = suite.connection.getClient().db('admin');
    const told = async (ids: number[], errorsOnly: boolean) => {
      const ops = ids.map((_id) => ({ insert: 0, document: { _id } }));
      const { cursor } = await admin.command({ bulkWrite: 1, ops, nsInfo: [{ ns }], ordered: false, errorsOnly });
      return (cursor as { firstBatch: Fields[] }).firstBatch.map(({ ok, idx }) => [ok, idx]);
    };
    expect(await told([1, 1], false)).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(await told([3, 1, 4], true)).toEqual([[0, 1]]);
  });

  it.each<[string, Fields]>([
    ['of no list', { ops: 5, nsInfo: [] }],
    ['of a collection that is not named', { ops: [{ insert: 1, document: {} }], nsInfo: [{ ns: 'a.b' }] }],
  ])('is refused %s', async (_name, fields) => {
    const admin = suite.connection.getClient().db('admin');
    await expect(admin.command({ bulkWrite: 1, ...fields })).rejects.toThrow(mongoose.mongo.MongoServerError);
  });
});
