import { Schema } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { mongooseSuite, SERVER } from './embedded-mongodb-contract.js';

describe(`An update by Mongoose on ${SERVER}`, () => {
  const suite = mongooseSuite();
  const { model } = suite;

  it('apply every ordinary operator', async () => {
    const Thing = model<Record<string, unknown>>(
      { any: Schema.Types.Mixed, n: Number, list: [Number] },
      { strict: false },
    );
    const update = async (before: object, change: object, options: object = {}) => {
      const { _id } = await Thing.collection
        .insertOne({ ...before } as never)
        .then(({ insertedId }) => ({ _id: insertedId }));
      await Thing.collection.updateOne({ _id }, change, options);
      return Thing.collection.findOne({ _id }, { projection: { _id: 0 } });
    };
    expect(await update({ a: 1 }, { $set: { 'b.c': 2 } })).toEqual({ a: 1, b: { c: 2 } });
    expect(await update({ a: 1, b: 2 }, { $unset: { a: 1 } })).toEqual({ b: 2 });
    expect(await update({ a: 1 }, { $inc: { a: 2, b: 3 } })).toEqual({ a: 3, b: 3 });
    expect(await update({ a: 2 }, { $mul: { a: 4 } })).toEqual({ a: 8 });
    expect(await update({ a: 2, b: 2 }, { $min: { a: 1 }, $max: { b: 5 } })).toEqual({ a: 1, b: 5 });
    expect(await update({ a: 1 }, { $rename: { a: 'b' } })).toEqual({ b: 1 });
    expect(await update({}, { $currentDate: { at: true } })).toEqual({ at: expect.any(Date) });
    expect(await update({ l: [1] }, { $push: { l: 2 } })).toEqual({ l: [1, 2] });
    const push = { $each: [5, 1], $position: 0, $sort: -1, $slice: 2 };
    expect(await update({ l: [3] }, { $push: { l: push } })).toEqual({ l: [5, 3] });
    const pushed = { $each: [{ k: [2] }], $sort: { k: 1, 'a.0': -1 } };
    expect(await update({ l: [{ k: [3, 1] }] }, { $push: { l: pushed } })).toEqual({ l: [{ k: [2] }, { k: [3, 1] }] });
    expect(await update({ l: [1] }, { $addToSet: { l: { $each: [1, 2, 2] } } })).toEqual({ l: [1, 2] });
    expect(await update({ l: [1, 5, 9] }, { $pull: { l: { $gt: 4 } } })).toEqual({ l: [1] });
    expect(await update({ l: [{ k: 1 }, { k: 2 }] }, { $pull: { l: { k: 1 } } })).toEqual({ l: [{ k: 2 }] });
    expect(await update({ l: [1, 2] }, { $pop: { l: -1 } })).toEqual({ l: [2] });
    expect(await update({ l: [1, 2] }, { $inc: { 'l.$[]': 1 } })).toEqual({ l: [2, 3] });
    const filters = { arrayFilters: [{ 'e.k': { $gt: 1 } }] };
    expect(await update({ l: [{ k: 1 }, { k: 2 }] }, { $set: { 'l.$[e].v': 1 } }, filters)).toEqual({
      l: [{ k: 1 }, { k: 2, v: 1 }],
    });
    expect(await update({ a: 2, b: 3 }, [{ $set: { c: { $add: ['$a', '$b'] } } }])).toEqual({ a: 2, b: 3, c: 5 });
    expect(await update({ a: { b: 1 } }, [{ $set: { a: {} } }, { $set: {} }])).toEqual({ a: {} });
  });

  it('find the array element that the filter matched, and set its timestamp', async () => {
    const Part = new Schema({ k: String, v: Number }, { timestamps: true });
    const Thing = model<{ parts: { k: string; v: number; updatedAt: Date }[] }>({ parts: [Part] });
    const thing = await Thing.create({
      parts: [
        { k: 'a', v: 1 },
        { k: 'b', v: 1 },
      ],
    });
    await Thing.updateOne({ _id: thing._id, 'parts.k': 'b' }, { $set: { 'parts.$.v': 2 } });
    expect((await Thing.findById(thing._id))?.parts.map(({ v }) => v)).toEqual([1, 2]);
  });

  it('place what is new by its name, and take from a list only what is in it', async () => {
    const { collection } = model<Record<string, unknown>>({}, { strict: false });
    const update = async (before: object, change: object) => {
      const { insertedId: _id } = await collection.insertOne(before);
      await collection.updateOne({ _id }, change);
      return JSON.stringify(await collection.findOne({ _id }, { projection: { _id: 0 } }));
    };
    expect(await update({ m: 1 }, { $set: { b: 1, c: 1, a: 1 }, $inc: { aa: 1 } })).toBe(
      '{"m":1,"a":1,"aa":1,"b":1,"c":1}',
    );
    expect(await update({ l: [1, 2] }, { $unset: { 'l.5': 1, 'l.0': 1, 'l.x': 1 } })).toBe('{"l":[null,2]}');
  });

  it('say what they matched and changed', async () => {
    const Thing = model<{ n: number }>({ n: Number });
    await Thing.insertMany([{ n: 1 }, { n: 2 }]);
    expect(await Thing.updateMany({}, { $set: { n: 2 } })).toMatchObject({ matchedCount: 2, modifiedCount: 1 });
    expect(await Thing.deleteMany({ n: 2 })).toMatchObject({ deletedCount: 2 });
  });

  it('insert what is missing, with the fields the filter names', async () => {
    const Thing = model<{ name: string; n: number; first: number }>({ name: String, n: Number, first: Number });
    const upsert = () =>
      Thing.findOneAndUpdate(
        { name: 'x', n: { $gte: 0 } },
        { $inc: { n: 1 }, $setOnInsert: { first: 1 } },
        { upsert: true, returnDocument: 'after' },
      ).lean();
    expect(await upsert()).toMatchObject({ name: 'x', n: 1, first: 1 });
    expect(await upsert()).toMatchObject({ name: 'x', n: 2, first: 1 });
    expect(await Thing.countDocuments()).toBe(1);
  });

  it('fail where MongoDB fails', async () => {
    const Thing = model({ any: Schema.Types.Mixed });
    await Thing.collection.insertOne({ s: 'text', l: 1 });
    const failing = (change: object) =>
      Thing.collection.updateOne({}, change).then(
        () => 0,
        (error) => error.code,
      );
    expect(await failing({ $inc: { s: 1 } })).toBe(14);
    expect(await failing({ $push: { s: 1 } })).toBe(2);
    expect(await failing({ $set: { 's.x': 1 } })).toBe(28);
    expect(await failing({ $set: { a: 1, 'a.b': 2 } })).toBe(40);
    expect(await failing({ $set: { _id: 1 } })).toBe(66);
    expect(await failing({ $unknown: { a: 1 } })).toBe(9);
  });

  it('have one winner when a hundred consumers want one document', async () => {
    const Secret = model<{ used: boolean }>({ used: Boolean });
    const { _id } = await Secret.create({ used: false });
    const consume = () => Secret.findOneAndUpdate({ _id, used: false }, { used: true });
    const results = await Promise.all(Array.from({ length: 100 }, consume));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('go through bulk writes, ordered and unordered', async () => {
    const Thing = model<{ n: number }>({ n: Number }, {}, [[{ n: 1 }, { unique: true }]]);
    await Thing.init();
    const insert = (n: number) => ({ insertOne: { document: { n } } });
    const ordered = await Thing.bulkWrite([insert(1), insert(1), insert(2)] as never).catch((error) => error);
    expect(ordered).toMatchObject({ code: 11000, result: { insertedCount: 1 } });
    const operations = [
      insert(1),
      insert(3),
      { updateOne: { filter: { n: 3 }, update: { n: 4 } } },
      { deleteOne: { filter: { n: 1 } } },
    ];
    const unordered = await Thing.bulkWrite(operations as never, { ordered: false }).catch((error) => error);
    expect(unordered).toMatchObject({ code: 11000, result: { insertedCount: 1 } });
    expect((await Thing.find().sort('n')).map(({ n }) => n)).toEqual([4]);
  });
});
