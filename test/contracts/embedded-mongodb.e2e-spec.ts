import mongoose, { Schema, Types } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { mongooseSuite, SERVER } from './embedded-mongodb-contract.js';

describe(`Mongoose on ${SERVER}`, () => {
  const suite = mongooseSuite();
  const { model } = suite;

  describe('Documents', () => {
    it('come back as they were saved, with every type', async () => {
      const Thing = model<Record<string, unknown>>({ any: Schema.Types.Mixed });
      const any = {
        text: 'é\u0000ü',
        int: 5,
        double: 5.5,
        big: 2 ** 40,
        long: mongoose.mongo.Long.fromString('9007199254740993'),
        decimal: Types.Decimal128.fromString('0.10'),
        date: new Date(1),
        yes: true,
        nothing: null,
        list: [1, ['two'], { three: 3 }],
        id: new Types.ObjectId(),
        bytes: Buffer.from([0xff, 0xfe]),
        uuid: new mongoose.mongo.UUID(),
        pattern: /^a/i,
        inner: { b: 1, a: 2 },
      };
      const { _id } = await Thing.create({ any });
      const found = (await Thing.collection.findOne(
        { _id: _id as never },
        { promoteLongs: false, bsonRegExp: false },
      )) as never as {
        any: typeof any;
      };
      expect(Object.keys(found.any)).toEqual(Object.keys(any));
      expect(found.any.text).toBe(any.text);
      expect(found.any.long.toString()).toBe('9007199254740993');
      expect(found.any.decimal.toString()).toBe('0.10');
      expect(found.any.date).toEqual(any.date);
      expect(found.any.list).toEqual([1, ['two'], { three: 3 }]);
      expect(found.any.pattern).toEqual(any.pattern);
      expect(Buffer.from((found.any.bytes as never as { buffer: Buffer }).buffer)).toEqual(any.bytes);
      expect(found.any.uuid.toString()).toBe(any.uuid.toString());
      expect(Object.keys(found.any.inner)).toEqual(['b', 'a']);
    });

    it('keep their numeric types through an update of another field', async () => {
      const Thing = model({ any: Schema.Types.Mixed, n: Number });
      const { Double, Long } = mongoose.mongo;
      const { insertedId } = await Thing.collection.insertOne({
        any: { d: new Double(3), l: Long.fromNumber(4) },
        n: 1,
      });
      await Thing.updateOne({ _id: insertedId }, { $inc: { n: 1 } });
      expect(await Thing.collection.countDocuments({ 'any.d': { $type: 'double' }, 'any.l': { $type: 'long' } })).toBe(
        1,
      );
    });

    it('are found in the order in which they came', async () => {
      const Thing = model<{ n: number }>({ n: Number });
      await Thing.insertMany([3, 1, 2].map((n) => ({ n })));
      expect((await Thing.find()).map(({ n }) => n)).toEqual([3, 1, 2]);
    });
  });

  describe('Queries', () => {
    it('understand the usual operators', async () => {
      const Thing = model<{ name: string; n?: number; tags: string[]; parts: { k: string; v: number }[] }>({
        name: String,
        n: Number,
        tags: [String],
        parts: [{ _id: false, k: String, v: Number }],
      });
      await Thing.insertMany([
        {
          name: 'a',
          n: 1,
          tags: ['x', 'y'],
          parts: [
            { k: 'p', v: 1 },
            { k: 'q', v: 9 },
          ],
        },
        { name: 'b', n: 2, tags: ['y'], parts: [{ k: 'p', v: 5 }] },
        { name: 'c', tags: [], parts: [] },
      ]);
      const names = async (filter: object) => (await Thing.find(filter).sort('name')).map(({ name }) => name).join('');
      expect(await names({ n: { $gte: 2 } })).toBe('b');
      expect(await names({ n: { $in: [1, 2] } })).toBe('ab');
      expect(await names({ n: null })).toBe('c');
      expect(await names({ n: { $exists: true } })).toBe('ab');
      expect(await names({ n: { $ne: 1 } })).toBe('bc');
      expect(await names({ tags: 'y' })).toBe('ab');
      expect(await names({ tags: { $all: ['x', 'y'] } })).toBe('a');
      expect(await names({ tags: { $size: 0 } })).toBe('c');
      expect(await names({ parts: { $elemMatch: { k: 'p', v: { $gt: 3 } } } })).toBe('b');
      expect(await names({ 'parts.k': 'q' })).toBe('a');
      expect(await names({ 'parts.0.v': 5 })).toBe('b');
      expect(await names({ $or: [{ name: 'a' }, { n: 2 }] })).toBe('ab');
      expect(await names({ $nor: [{ name: 'a' }, { n: 2 }] })).toBe('c');
      expect(await names({ name: /^[AB]$/i })).toBe('ab');
      expect(await names({ name: { $not: /a/ } })).toBe('bc');
      expect(await names({ $expr: { $gt: ['$n', 1] } })).toBe('b');
      expect(await names({ n: { $mod: [2, 0] } })).toBe('b');
    });

    it('project, sort, skip and limit', async () => {
      const Thing = model<{ n: number; list: number[]; inner: { a: number; b: number } }>({
        n: Number,
        list: [Number],
        inner: { a: Number, b: Number },
      });
      await Thing.insertMany([1, 2, 3, 4].map((n) => ({ n, list: [n, n + 1, n + 2], inner: { a: n, b: -n } })));
      const page = await Thing.find({}, { _id: 0, n: 1 }).sort({ n: -1 }).skip(1).limit(2).lean();
      expect(page).toEqual([{ n: 3 }, { n: 2 }]);
      expect(await Thing.findOne({ n: 1 }, { _id: 0, list: { $slice: -1 }, inner: 0 }).lean()).toMatchObject({
        list: [3],
      });
      expect(await Thing.findOne({ n: 1 }, 'inner.b -_id').lean()).toEqual({ inner: { b: -1 } });
      expect(await Thing.findOne({ list: 4 }, { 'list.$': 1, _id: 0 }).lean()).toEqual({ list: [4] });
    });

    it('stream more documents than fit into one batch', async () => {
      const Thing = model<{ n: number }>({ n: Number });
      await Thing.insertMany(Array.from({ length: 1000 }, (_, n) => ({ n })));
      let sum = 0;
      for await (const { n } of Thing.find().cursor({ batchSize: 70 })) sum += n;
      expect(sum).toBe(499_500);
    });

    it('count, list distinct values, populate and aggregate', async () => {
      const Author = model<{ name: string }>({ name: String });
      const Book = model<{ title: string; pages: number; author: Types.ObjectId }>({
        title: String,
        pages: Number,
        author: { type: Schema.Types.ObjectId, ref: Author.modelName },
      });
      const [ann, ben] = await Author.create([{ name: 'Ann' }, { name: 'Ben' }]);
      await Book.insertMany([
        { title: 'A', pages: 10, author: ann?._id },
        { title: 'B', pages: 30, author: ann?._id },
        { title: 'C', pages: 5, author: ben?._id },
      ]);
      expect(await Book.countDocuments({ pages: { $gt: 6 } })).toBe(2);
      expect(await Book.estimatedDocumentCount()).toBe(3);
      expect((await Book.distinct('pages')).sort((a, b) => Number(a) - Number(b))).toEqual([5, 10, 30]);
      const populated = await Book.findOne({ title: 'C' }).populate<{ author: { name: string } }>('author');
      expect(populated?.author.name).toBe('Ben');
      const totals = await Book.aggregate<object>([
        { $group: { _id: '$author', pages: { $sum: '$pages' } } },
        { $lookup: { from: Author.collection.name, localField: '_id', foreignField: '_id', as: 'author' } },
        { $unwind: '$author' },
        { $project: { _id: 0, name: '$author.name', pages: 1 } },
        { $sort: { pages: -1 } },
      ]);
      expect(totals).toEqual([
        { name: 'Ann', pages: 40 },
        { name: 'Ben', pages: 5 },
      ]);
    });
  });

  describe('Indexes', () => {
    it('refuse duplicates and name the field', async () => {
      const User = model<{ email: string }>({ email: { type: String, unique: true } });
      await User.init();
      await User.create({ email: 'a@b.c' });
      const error = await User.create({ email: 'a@b.c' }).catch((failure) => failure);
      expect(error).toMatchObject({ code: 11000, keyPattern: { email: 1 }, keyValue: { email: 'a@b.c' } });
      expect(error.message).toContain(`index: email_1 dup key: { email: "a@b.c" }`);
      const updated = await User.findOneAndUpdate({ email: 'x' }, { $set: { email: 'a@b.c' } }, { upsert: true }).catch(
        (failure) => failure,
      );
      expect(updated).toMatchObject({ code: 11000, keyValue: { email: 'a@b.c' } });
    });

    it('let one of many equal inserts through', async () => {
      const User = model<{ email: string }>({ email: { type: String, unique: true } });
      await User.init();
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => User.create({ email: 'same' })));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('can be sparse, partial and compound', async () => {
      const Thing = model<object>({ a: String, b: String, c: Number, on: Boolean }, {}, [
        [{ a: 1 }, { unique: true, sparse: true }],
        [{ b: 1 }, { unique: true, partialFilterExpression: { on: true } }],
        [{ c: 1, on: -1 }, {}],
      ]);
      await Thing.init();
      await Thing.create([{}, {}, { b: 'x', on: false }, { b: 'x', on: false }, { a: 'x' }, { b: 'x', on: true }]);
      await expect(Thing.create({ a: 'x' })).rejects.toMatchObject({ code: 11000 });
      await expect(Thing.create({ b: 'x', on: true })).rejects.toMatchObject({ code: 11000 });
      expect((await Thing.listIndexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1', 'b_1', 'c_1_on_-1']);
      await Thing.collection.dropIndex('a_1');
      await Thing.create({ a: 'x' });
    });

    it('cannot become unique over documents that are not', async () => {
      const Thing = model<{ n: number }>({ n: Number });
      await Thing.insertMany([{ n: 1 }, { n: 1 }]);
      await expect(Thing.collection.createIndex({ n: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
      expect(await Thing.listIndexes()).toHaveLength(1);
    });

    it('are brought in line with the schema', async () => {
      const Thing = model<{ n: number }>({ n: Number }, { autoIndex: false }, [[{ n: 1 }, { expireAfterSeconds: 60 }]]);
      await Thing.createCollection();
      await Thing.collection.createIndex({ old: 1 });
      expect(await Thing.syncIndexes()).toEqual(['old_1']);
      expect(await Thing.diffIndexes()).toMatchObject({ toDrop: [], toCreate: [] });
    });
  });
});
