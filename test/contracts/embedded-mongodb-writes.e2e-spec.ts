import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

const { Long, Timestamp } = mongoose.mongo;

describe(`A write on ${SERVER}`, () => {
  const suite = driverSuite();
  const run = (command: Fields) => suite.connection.db?.command(command);
  /** The one document after the update, which may be given what {@link mongoose.mongo.UpdateOptions} allow. */
  const updated = async (document: Fields, update: object, options: Fields = {}, filter: Fields = {}) => {
    await suite.things.deleteMany({});
    await suite.things.insertOne({ _id: 1, ...document } as never);
    await suite.things.updateOne(filter as never, update as never, { ...options, promoteLongs: false } as never);
    const [found] = await suite.things.find({}, { promoteLongs: false }).toArray();
    const { _id, ...rest } = found as Fields;
    return rest;
  };
  const upserted = async (filter: Fields, update: object) => {
    await suite.things.deleteMany({});
    await suite.things.updateOne(filter as never, update as never, { upsert: true });
    const { _id, ...found } = (await suite.things.findOne()) as Fields;
    return found;
  };

  describe('that finds and removes', () => {
    it('takes the first in its order, as it was, or what is asked for of it', async () => {
      await suite.things.insertMany([3, 1, 2].map((n) => ({ n, s: `of ${n}` })));
      const options = { sort: { n: 1 }, projection: { s: 1, _id: 0 } } as const;
      expect(await suite.things.findOneAndDelete({}, options)).toEqual({ s: 'of 1' });
      expect(await suite.things.findOneAndDelete({ n: { $gt: 2 } })).toMatchObject({ n: 3 });
      expect(await suite.things.findOneAndDelete({ n: 9 })).toBeNull();
      expect(await suite.things.distinct('n')).toEqual([2]);
    });

    it('is told whether it found one', async () => {
      await suite.things.insertOne({ n: 1 });
      const remove = { findAndModify: suite.things.collectionName, query: { n: 1 }, remove: true };
      expect(await run(remove)).toMatchObject({ lastErrorObject: { n: 1 }, value: { n: 1 } });
      expect(await run(remove)).toMatchObject({ lastErrorObject: { n: 0 }, value: null });
    });

    it.each<[string, Fields]>([
      ['nor updates', {}],
      ['and updates', { remove: true, update: { $set: { a: 1 } } }],
      ['and inserts what is missing', { remove: true, upsert: true }],
      ['and shows what is new', { remove: true, new: true }],
    ])('is refused where it does not remove, %s', async (_name, options) => {
      const command = { findAndModify: suite.things.collectionName, query: {}, ...options };
      await expect(run(command)).rejects.toMatchObject({ code: 9 });
    });
  });

  it('shows what is new as a whole, not the element that was found in what was there', async () => {
    await suite.things.insertOne({ items: [{ n: 1 }, { n: 2 }] });
    const change = (returnDocument: 'before' | 'after') =>
      suite.things.findOneAndUpdate(
        { 'items.n': 2 },
        { $set: { seen: true } },
        { returnDocument, projection: { 'items.$': 1, _id: 0 } },
      );
    await expect(change('after')).rejects.toMatchObject({ code: 2 });
    expect(await suite.things.findOne({ seen: true })).toBeNull();
    expect(await change('before')).toEqual({ items: [{ n: 2 }] });
  });

  describe('by operators', () => {
    it('calculates bit by bit', async () => {
      expect(await updated({ n: 0b1100 }, { $bit: { n: { and: 0b1010 } } })).toEqual({ n: 0b1000 });
      expect(await updated({ n: 0b1100 }, { $bit: { n: { or: 0b1010, xor: 1 } } })).toEqual({ n: 0b1111 });
      expect(await updated({}, { $bit: { n: { or: 5 } } })).toEqual({ n: 5 });
      const large = Long.fromString('9007199254740993');
      expect(await updated({ n: large }, { $bit: { n: { xor: 1 } } })).toEqual({ n: large.sub(1) });
      for (const $bit of [{ n: { nand: 1 } }, { n: { and: 1.5 } }, { s: { and: 1 } }, { z: { or: 1 } }]) {
        await expect(updated({ n: 1, s: 'x', z: null }, { $bit })).rejects.toMatchObject({ code: 2 });
      }
    });

    it('adds to an array where it is told, keeps it sorted, and keeps so many of it', async () => {
      const a = [3, 1];
      const push = (clauses: object) => ({ $push: { a: { $each: [2], ...clauses } } });
      expect(await updated({ a }, push({ $position: 0 }))).toEqual({ a: [2, 3, 1] });
      expect(await updated({ a }, push({ $position: -1 }))).toEqual({ a: [3, 2, 1] });
      expect(await updated({ a }, push({ $sort: -1 }))).toEqual({ a: [3, 2, 1] });
      expect(await updated({ a }, push({ $sort: 1, $slice: -2 }))).toEqual({ a: [2, 3] });
      expect(await updated({ a }, push({ $slice: 0 }))).toEqual({ a: [] });
      const documents = [{ k: { n: 2 } }, { k: { n: 1 } }];
      expect(await updated({ a: documents }, { $push: { a: { $each: [], $sort: { 'k.n': 1 } } } })).toEqual({
        a: documents.toReversed(),
      });
      for (const clauses of [{ $nope: 1 }, { $sort: 2 }, { $slice: 'x' }]) {
        await expect(updated({ a }, push(clauses))).rejects.toMatchObject({ code: 2 });
      }
    });

    it('takes from an array what it names or describes, from either end', async () => {
      const a = [1, 'x', { k: 1, v: 1 }, { k: 1, v: 2 }];
      expect(await updated({ a }, { $pull: { a: { k: 1, v: { $gt: 1 } } } })).toEqual({ a: a.slice(0, 3) });
      expect(await updated({ a }, { $pull: { a: 'x' } })).toEqual({ a: [1, ...a.slice(2)] });
      expect(await updated({ a }, { $pullAll: { a: [1, 'x', { k: 1, v: 2 }] } })).toEqual({ a: [a[2]] });
      expect(await updated({ a }, { $pop: { a: -1 } })).toEqual({ a: a.slice(1) });
      expect(await updated({ a }, { $pop: { a: 1 } })).toEqual({ a: a.slice(0, -1) });
      expect(await updated({ a: [] }, { $pop: { a: 1 } })).toEqual({ a: [] });
      for (const update of [{ $pullAll: { a: 1 } }, { $pull: { s: 1 } }, { $pop: { s: 1 } }]) {
        await expect(updated({ a, s: 'x' }, update)).rejects.toThrow(mongoose.mongo.MongoServerError);
      }
    });

    it('sets the time as a date and as a timestamp', async () => {
      const { at, on, seq } = await updated(
        {},
        { $currentDate: { at: true, on: { $type: 'date' }, seq: { $type: 'timestamp' } } },
      );
      expect(at).toBeInstanceOf(Date);
      expect(on).toEqual(at);
      expect(Math.abs((seq as InstanceType<typeof Timestamp>).getHighBits() * 1000 - Date.now())).toBeLessThan(60_000);
    });

    it('fills an array up, leaves a hole where an element was, and refuses to fill without end', async () => {
      expect(await updated({ a: [1] }, { $set: { 'a.3': 4 } })).toEqual({ a: [1, null, null, 4] });
      expect(await updated({ a: [1, 2] }, { $unset: { 'a.0': '' } })).toEqual({ a: [null, 2] });
      await expect(updated({ a: [1] }, { $set: { 'a.2000000': 1 } })).rejects.toMatchObject({ code: 2 });
    });

    it('changes the elements that its filters name', async () => {
      const rows = [
        { k: 1, l: [1, 5] },
        { k: 2, l: [7] },
      ];
      const arrayFilters = [{ 'row.k': { $gte: 1 } }, { $or: [{ cell: { $gt: 6 } }, { cell: 1 }] }];
      expect(await updated({ rows }, { $inc: { 'rows.$[row].l.$[cell]': 10 } }, { arrayFilters })).toEqual({
        rows: [
          { k: 1, l: [11, 5] },
          { k: 2, l: [17] },
        ],
      });
      expect(await updated({ rows }, { $set: { 'rows.$[].k': 0 } })).toMatchObject({ rows: [{ k: 0 }, { k: 0 }] });
      const refused = (update: object, filters: object[], code: number) =>
        expect(updated({ rows, s: 'x' }, update, { arrayFilters: filters })).rejects.toMatchObject({ code });
      await refused({ $set: { 'rows.$[row].k': 0 } }, [{ 'row.k': 1 }, { 'row.l': 1 }], 9);
      await refused({ $set: { 'rows.$[other].k': 0 } }, [{ 'row.k': 1 }], 2);
      await refused({ $set: { 's.$[row]': 0 } }, [{ row: 1 }], 2);
    });
  });

  it('that replaces keeps the id, and nothing else', async () => {
    await suite.things.insertOne({ _id: 1, a: 1, b: 2 } as never);
    await suite.things.replaceOne({ a: 1 }, { c: 3 });
    expect(await suite.things.findOne()).toEqual({ _id: 1, c: 3 });
    const update = (statement: Fields) =>
      run({ update: suite.things.collectionName, updates: [{ q: {}, ...statement }] });
    expect(await update({ u: { a: 1, $set: 2 } })).toMatchObject({ writeErrors: [{ code: 52 }] });
    expect(await update({ u: { a: 1 }, multi: true })).toMatchObject({ writeErrors: [{ code: 9 }] });
    expect(await update({ u: { _id: 2, a: 1 } })).toMatchObject({ writeErrors: [{ code: 66 }] });
    expect(await suite.things.findOne()).toEqual({ _id: 1, c: 3 });
  });

  it('that replaces by the same has changed nothing only if the id is given too', async () => {
    await suite.things.insertOne({ _id: 1, a: 1 } as never);
    expect(await suite.things.replaceOne({}, { a: 1 })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
    expect(await suite.things.replaceOne({}, { _id: 1, a: 1 } as never)).toMatchObject({ modifiedCount: 0 });
    expect(await suite.things.updateOne({}, { $set: { a: 1 } })).toMatchObject({ modifiedCount: 0 });
  });

  it('that inserts what is missing takes from its filter what is certain', async () => {
    const update = { $set: { z: 1 } };
    const filter = { $and: [{ a: 1 }, { b: { $eq: 2 } }], 'd.e': 3, $or: [{ c: 4 }] };
    expect(await upserted(filter, update)).toEqual({ a: 1, b: 2, d: { e: 3 }, c: 4, z: 1 });
    expect(await upserted({ n: { $gt: 1 }, s: /x/, l: { $in: [1, 2] }, $or: [{ a: 1 }, { b: 1 }] }, update)).toEqual({
      z: 1,
    });
    expect(await upserted({ l: { $all: [5] } }, update)).toEqual({ l: 5, z: 1 });
    expect(await upserted({ a: 1 }, { $setOnInsert: { b: 2 } })).toEqual({ a: 1, b: 2 });
    expect(await upserted({ a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }])).toEqual({ a: 1, b: 2 });
    await expect(upserted({ a: 1, $and: [{ a: 2 }] }, update)).rejects.toMatchObject({ code: 54 });
  });

  it('by a pipeline knows variables, and only stages that keep one document', async () => {
    await suite.things.insertOne({ _id: 1, n: 1 } as never);
    const statement = { q: {}, u: [{ $set: { n: { $add: ['$n', '$$by'] } } }], c: { by: 4 } };
    await run({ update: suite.things.collectionName, updates: [statement] });
    expect(await suite.things.findOne()).toEqual({ _id: 1, n: 5 });
    const refused = (stage: object) => expect(suite.things.updateOne({}, [stage] as never)).rejects;
    await refused({ $match: {} }).toMatchObject({ code: 72 });
    await refused({ $replaceWith: '$n' }).toThrow(mongoose.mongo.MongoServerError);
    await suite.things.updateOne({}, [{ $replaceWith: { m: '$n' } }]);
    expect(await suite.things.findOne()).toEqual({ _id: 1, m: 5 });
  });

  it.each([
    [[{ $match: { n: 1 } }], {}, 72],
    [[{ $set: { n: 1 } }], { arrayFilters: [{ i: 1 }] }, 9],
  ])('by a pipeline that is none for an update is refused though nothing matches: %j %j', async (update, how, code) => {
    await expect(suite.things.updateOne({ n: 5 }, update, how)).rejects.toMatchObject({ code });
  });

  it('may give a field that is named like an operator to a new document alone', async () => {
    expect(await upserted({ n: 1 }, { $set: { $z: 1 } })).toEqual({ n: 1, $z: 1 });
    expect(await updated({ n: 1 }, { $setOnInsert: { $z: 1 }, $unset: { $y: 1 } })).toEqual({ n: 1 });
  });

  it('adds what begins with $each one by one, and whatever else as it is', async () => {
    expect(await updated({ l: [1] }, { $addToSet: { l: { $each: [1, 2] } } })).toEqual({ l: [1, 2] });
    expect(await updated({ l: [1] }, { $addToSet: { l: { a: 1, $each: [2] } } })).toEqual({
      l: [1, { a: 1, $each: [2] }],
    });
  });

  it.each<[object, number]>([
    [{ $addToSet: { l: { $each: [1], $slice: 2 } } }, 2],
    [{ $addToSet: { l: { $each: 5 } } }, 14],
    [{ $set: { $z: 1 } }, 52],
    [{ $inc: { $z: 1 } }, 52],
    [{ $push: { $z: 1 } }, 52],
    [{ $set: { 'l.$.m.$.n': 1 } }, 2],
    [{ $bit: { n: {} } }, 2],
    [{ $rename: { n: '' } }, 56],
    [{ $rename: { n: 'a.' } }, 56],
    [{ $rename: { n: 'a.$' } }, 2],
    [{ $rename: { 'l.$': 'a' } }, 2],
    [{ $rename: { 'n.x': 'a' } }, 28],
    [{ $pop: { 'n.x': 1 } }, 28],
    [{ $pop: { 'l.m': 1 } }, 28],
    [{ $pull: { 'l.m': 1 } }, 28],
    [{ $pullAll: { 'n.x': [1] } }, 28],
  ])('by operators that do not fit is refused, and changes nothing: %j', async (update, code) => {
    await expect(updated({ l: [{ m: [1] }], n: 1 }, update, {}, { 'l.m': 1 })).rejects.toMatchObject({ code });
    expect(await suite.things.findOne({})).toEqual({ _id: 1, l: [{ m: [1] }], n: 1 });
  });

  it.each<[string, Fields, number]>([
    ['of nothing', { documents: [] }, 9],
    ['of no document', { documents: [5] }, 14],
  ])('is refused, as an insert %s', async (_name, fields, code) => {
    await expect(run({ insert: suite.things.collectionName, ...fields })).rejects.toMatchObject({ code });
  });

  it('takes nothing from where there is nothing', async () => {
    expect(await updated({ n: {}, l: [{}] }, { $pop: { 'n.x.y': 1, 'l.3.m': 1 }, $rename: { 'n.z': 'a' } })).toEqual({
      n: {},
      l: [{}],
    });
  });

  it('to no collection, or to one with an option that nobody knows, is refused', async () => {
    const { db } = suite.connection;
    await expect(db?.createCollection('made', { caped: true } as never)).rejects.toMatchObject({ code: 40415 });
    await expect(db?.aggregate([{ $match: {} }]).toArray()).rejects.toMatchObject({ code: 73 });
    await expect(suite.aggregate({ $documents: [{ a: 1 }] })).rejects.toMatchObject({ code: 73 });
    expect(await db?.aggregate([{ $documents: [{ a: { $add: [1, 1] } }] }]).toArray()).toEqual([{ a: 2 }]);
  });

  it('takes no id that is an operator, an array or a pattern', async () => {
    const insert = (_id: unknown) => suite.things.insertOne({ _id } as never);
    await expect(insert({ $a: 1 })).rejects.toMatchObject({ code: 52 });
    await expect(insert([1])).rejects.toMatchObject({ code: 53 });
    await expect(insert(/x/)).rejects.toMatchObject({ code: 53 });
  });

  it.each<[unknown, number]>([
    [[{ $set: { a: { $nope: 1 } } }], 168],
    [[{ $set: 5 }], 40272],
    [[{ $set: { a: '$' } }], 16872],
    [[{ $group: { _id: 1 } }], 72],
  ])('by the pipeline %j is refused, whether or not it finds anything', async (pipeline, code) => {
    const refusal = suite.things.updateOne({ none: 1 }, pipeline as never);
    await expect(refusal).rejects.toMatchObject({ code });
  });
});
