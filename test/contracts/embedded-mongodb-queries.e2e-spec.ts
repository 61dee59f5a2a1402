import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

const { Binary, Decimal128, Long, MaxKey, MinKey } = mongoose.mongo;

describe(`A query on ${SERVER}`, () => {
  const suite = driverSuite();
  const fill = (...documents: Fields[]) => suite.things.insertMany(documents as never);
  const idsOf = async (filter: Fields, options = {}) =>
    (await suite.things.find(filter as never, options).toArray()).map(({ _id }) => _id);
  /** What is left of the one document. */
  const projected = async (document: Fields, projection: Fields, filter: Fields = {}) => {
    await fill({ ...document });
    const found = await suite.things.findOne(filter as never, { projection: { ...projection, _id: 0 } });
    await suite.things.deleteMany({});
    return found;
  };

  describe('finds by', () => {
    it('all elements of an array, each of which may be a condition', async () => {
      await fill({ _id: 1, a: [{ x: 1 }, { x: 2 }] }, { _id: 2, a: [{ x: 1 }] }, { _id: 3, a: 5 });
      expect(await idsOf({ a: { $all: [{ $elemMatch: { x: 1 } }, { $elemMatch: { x: { $gt: 1 } } }] } })).toEqual([1]);
      expect(await idsOf({ a: { $all: [5] } })).toEqual([3]);
      expect(await idsOf({ a: { $all: [] } })).toEqual([]);
    });

    it('remainders, of whole numbers that are cut off', async () => {
      await fill({ _id: 1, n: 5.9 }, { _id: 2, n: -5 }, { _id: 3, n: 6 }, { _id: 4, n: 'x' });
      expect(await idsOf({ n: { $mod: [4, 1] } })).toEqual([1]);
      expect(await idsOf({ n: { $mod: [4, -1] } })).toEqual([2]);
      expect(await idsOf({ n: { $mod: [4.7, 2.2] } })).toEqual([3]);
    });

    it('bits, given as a number, as positions, and as bytes', async () => {
      await fill({ _id: 1, n: 0b1010 }, { _id: 2, n: -1 }, { _id: 3, n: Long.fromString('9007199254740994') });
      await fill({ _id: 4, n: 2.5 }, { _id: 5, n: new Binary(Buffer.from([0b1010])) }, { _id: 6, n: 0 });
      expect(await idsOf({ n: { $bitsAllSet: 0b1010 } })).toEqual([1, 2, 5]);
      expect(await idsOf({ n: { $bitsAllSet: [1, 53] } })).toEqual([2, 3]);
      expect(await idsOf({ n: { $bitsAnySet: new Binary(Buffer.from([0b0110])) } })).toEqual([1, 2, 3, 5]);
      expect(await idsOf({ n: { $bitsAllClear: [0, 2] } })).toEqual([1, 3, 5, 6]);
      expect(await idsOf({ n: { $bitsAnyClear: [1, 3] } })).toEqual([3, 6]);
    });

    it('lists of patterns and values, nothing among them', async () => {
      await fill(
        { _id: 1, s: 'abc' },
        { _id: 2, s: 'xyz' },
        { _id: 3, s: null },
        { _id: 4 },
        { _id: 5, s: ['q', 'Z'] },
      );
      expect(await idsOf({ s: { $in: [/^a/, 'Z'] } })).toEqual([1, 5]);
      expect(await idsOf({ s: { $in: [null] } })).toEqual([3, 4]);
      expect(await idsOf({ s: { $nin: [/y/, null] } })).toEqual([1, 5]);
      expect(await idsOf({ s: { $not: { $in: ['abc', 'xyz'] } } })).toEqual([3, 4, 5]);
    });

    it('arrays within arrays, and places in them', async () => {
      await fill({ _id: 1, a: [[1, 2], [3]] }, { _id: 2, a: [{ b: [7, 8] }] }, { _id: 3, a: { 0: 'x' } });
      expect(await idsOf({ a: { $elemMatch: { 0: 3 } } })).toEqual([1]);
      await fill({ _id: 4, a: [[{ c: 1 }]] }, { _id: 5, a: [{ c: 1 }] });
      expect(await idsOf({ a: { $elemMatch: { c: 1 } } })).toEqual([5]);
      expect(await idsOf({ 'a.0.1': 2 })).toEqual([1]);
      expect(await idsOf({ 'a.b.1': 8 })).toEqual([2]);
      expect(await idsOf({ 'a.0': 'x' })).toEqual([3]);
      expect(await idsOf({ a: { $size: 2 } })).toEqual([1]);
    });

    it('types, by their names, numbers, and all numbers at once', async () => {
      await fill({ _id: 1, v: 1 }, { _id: 2, v: Decimal128.fromString('1') }, { _id: 3, v: Long.fromNumber(2 ** 40) });
      await fill({ _id: 4, v: new mongoose.mongo.MinKey() }, { _id: 5, v: new mongoose.mongo.MaxKey() });
      await fill({ _id: 6, v: new mongoose.mongo.Code('f()') }, { _id: 7, v: ['x', true] }, { _id: 8, v: null });
      expect(await idsOf({ v: { $type: 'number' } })).toEqual([1, 2, 3]);
      expect(await idsOf({ v: { $type: ['minKey', 127, 'javascript'] } })).toEqual([4, 5, 6]);
      expect(await idsOf({ v: { $type: 'bool' } })).toEqual([7]);
      expect(await idsOf({ v: { $type: 'array' } })).toEqual([7]);
      expect(await idsOf({ v: { $type: 10 } })).toEqual([8]);
    });

    it.each([{ index: false }, { index: true }])(
      'the ends of all values, and of all numbers (%j)',
      async ({ index }) => {
        await fill(
          { _id: 1 },
          { _id: 2, v: null },
          { _id: 3, v: new MinKey() },
          { _id: 4, v: new MaxKey() },
          { _id: 5, v: 1 },
        );
        await fill({ _id: 6, v: -Infinity }, { _id: 7, v: Infinity }, { _id: 8, v: [] });
        if (index) await suite.things.createIndex({ v: 1 });
        const sorted = async (v: Fields) => (await idsOf({ v })).sort();
        expect(await sorted({ $gt: new MinKey() })).toEqual([1, 2, 4, 5, 6, 7, 8]);
        expect(await sorted({ $lte: new MaxKey() })).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
        expect(await sorted({ $lte: -Infinity })).toEqual([6]);
        expect(await sorted({ $lt: Infinity })).toEqual([5, 6]);
        expect(await sorted({ $gte: Infinity })).toEqual([7]);
      },
    );

    it('two fields of a list, in whichever of its elements, by an index of both', async () => {
      await suite.things.createIndex({ 'l.b': 1, 'l.c': 1 });
      await fill({ _id: 1, l: [{ b: 1 }, { c: 1 }] }, { _id: 2, l: [{ b: 1, c: 1 }] }, { _id: 3, l: { b: 1, c: 2 } });
      await fill({
        _id: 4,
        l: [
          { b: 3, c: 6 },
          { b: 1, c: 1 },
        ],
      });
      expect((await idsOf({ 'l.b': 1, 'l.c': 1 })).sort()).toEqual([1, 2, 4]);
      expect((await idsOf({ 'l.b': { $gt: 2 }, 'l.c': { $lt: 4 } })).sort()).toEqual([4]);
      expect((await idsOf({ 'l.b': { $in: [1, 3] }, 'l.c': { $in: [1, 6] } })).sort()).toEqual([1, 2, 4]);
    });

    it('an expression with variables of the command, and whatever is remarked on it', async () => {
      await fill({ _id: 1, n: 1 }, { _id: 2, n: 2 });
      const filter = { $expr: { $eq: ['$n', { $add: ['$$one', 1] }] }, $comment: 'of the report' };
      expect(await idsOf(filter, { let: { one: 1 } })).toEqual([2]);
      expect(await idsOf({ n: { $gt: 0 } }, { projection: { m: '$$seen' }, let: { seen: 'yes' } })).toEqual([1, 2]);
    });

    it('distinct values, of arrays and in a collation as well', async () => {
      await fill({ s: 'a', t: ['x', 'y'] }, { s: 'A', t: 'x' }, { s: 'b' });
      expect((await suite.things.distinct('t')).sort()).toEqual(['x', 'y']);
      expect(await suite.things.distinct('s', {}, { collation: { locale: 'en', strength: 2 } })).toHaveLength(2);
    });
  });

  describe('shows', () => {
    it('a part of an array', async () => {
      const document = { a: [1, 2, 3, 4], s: 'x' };
      expect(await projected(document, { a: { $slice: 2 } })).toEqual({ a: [1, 2], s: 'x' });
      expect(await projected(document, { a: { $slice: -3 } })).toEqual({ a: [2, 3, 4], s: 'x' });
      expect(await projected(document, { a: { $slice: [1, 2] } })).toEqual({ a: [2, 3], s: 'x' });
      expect(await projected(document, { a: { $slice: [-2, 1] } })).toEqual({ a: [3], s: 'x' });
      expect(await projected(document, { a: { $slice: [-9, 2] } })).toEqual({ a: [1, 2], s: 'x' });
      expect(await projected(document, { s: { $slice: 1 } })).toEqual(document);
      await fill({ _id: 1, ...document });
      const wanted = { projection: { _id: 1, a: { $slice: 1 } } };
      expect(await suite.things.findOne({}, wanted)).toEqual({ _id: 1, a: [1] });
    });

    it('the first element that matches', async () => {
      const document = { a: [{ k: 1 }, { k: 2, v: 'x' }, { k: 2, v: 'y' }], n: 5 };
      expect(await projected(document, { a: { $elemMatch: { k: 2 } } })).toEqual({ a: [{ k: 2, v: 'x' }] });
      expect(await projected(document, { a: { $elemMatch: { k: 9 } } })).toEqual({});
      expect(await projected(document, { n: { $elemMatch: { k: 9 } } })).toEqual({});
      expect(await projected(document, { 'a.$': 1 }, { 'a.k': 2 })).toEqual({ a: [{ k: 2, v: 'x' }] });
      expect(await projected(document, { 'a.$': 1 }, { a: { $elemMatch: { k: { $gt: 1 } } } })).toEqual({
        a: [{ k: 2, v: 'x' }],
      });
      expect(await projected({ a: [3, 4, 5] }, { 'a.$': 1 }, { a: { $all: [4, 5] } })).toEqual({ a: [5] });
    });

    it('the first element that matches, beside all fields but one', async () => {
      const document = { a: [{ k: 1 }, { k: 2 }], n: 5, secret: 'x' };
      expect(await projected(document, { a: { $elemMatch: { k: 2 } }, secret: 0 })).toEqual({ a: [{ k: 2 }], n: 5 });
    });

    it('fields of embedded documents, through arrays', async () => {
      const document = { a: [{ b: 1, c: 2 }, 7, [{ b: 3, c: 4 }, 8]], d: { b: 5, c: 6 } };
      expect(await projected(document, { 'a.b': 1, 'd.b': 1 })).toEqual({ a: [{ b: 1 }, [{ b: 3 }]], d: { b: 5 } });
      expect(await projected(document, { a: { b: 0 }, d: 0 })).toEqual({ a: [{ c: 2 }, 7, [{ c: 4 }, 8]] });
    });

    it('what it calculates, beside and within what is there', async () => {
      const document = { n: 2, d: { x: 1, y: 2 } };
      expect(await projected(document, { m: { $add: ['$n', 1] } })).toEqual({ m: 3 });
      expect(await projected(document, { 'd.z': { $add: ['$n', 1] }, 'd.x': 1 })).toEqual({ d: { x: 1, z: 3 } });
      expect(await projected(document, { 'e.f.g': '$n' })).toEqual({ e: { f: { g: 2 } } });
      expect(await projected(document, { e: 'text', f: '$nothing' })).toEqual({ e: 'text' });
    });
  });

  it('is led by the index that it names, and by none when told so', async () => {
    await fill({ _id: 1, n: 2 }, { _id: 2, n: 1 });
    await suite.things.createIndex({ n: 1 });
    for (const hint of ['n_1', { n: 1 }]) expect(await idsOf({}, { hint })).toEqual([2, 1]);
    expect(await idsOf({ n: { $gt: 0 } }, { hint: { $natural: 1 } })).toEqual([1, 2]);
    expect(await suite.things.countDocuments({}, { hint: 'n_1' })).toBe(2);
  });

  it('finds empty lists by an index too, and has them in its order', async () => {
    await fill({ _id: 1, l: 1 }, { _id: 2, l: [] }, { _id: 3, l: [2, 0] }, { _id: 4 });
    const found = async () => [
      await idsOf({ l: [] }),
      await idsOf({}, { sort: { l: 1 } }),
      await idsOf({ l: { $size: 0 } }),
    ];
    const byScan = await found();
    await suite.things.createIndex({ l: 1 });
    expect(byScan).toEqual([[2], [2, 4, 3, 1], [2]]);
    expect(await found()).toEqual(byScan);
    expect((await idsOf({}, { hint: 'l_1' })).sort()).toEqual([1, 2, 3, 4]);
    await suite.things.insertOne({ _id: 5, l: [] } as never);
    await expect(suite.things.createIndex({ l: 1 }, { unique: true, name: 'unique' })).rejects.toMatchObject({
      code: 11000,
    });
  });

  it('by the sparse index that a hint names finds what is in it alone', async () => {
    await fill({ _id: 1, n: 2 }, { _id: 2, n: 1 }, { _id: 3 });
    await suite.things.createIndex({ n: 1 }, { sparse: true });
    expect(await idsOf({}, { hint: 'n_1' })).toEqual([2, 1]);
    expect(await idsOf({ _id: { $gt: 1 } }, { hint: 'n_1', sort: { _id: 1 } })).toEqual([2]);
    const count = (options: Fields) =>
      suite.connection.db?.command({ count: suite.things.collectionName, query: {}, ...options });
    expect(await count({ hint: 'n_1' })).toMatchObject({ n: 2 });
    await expect(count({ hint: 'nobody' })).rejects.toMatchObject({ code: 2 });
    await expect(count({ skip: -1 })).rejects.toMatchObject({ code: 51024 });
    expect(await idsOf({}, { sort: { n: 1 } })).toEqual([3, 2, 1]);
  });

  it('takes the whole of a fraction for how many, and NaN for none', async () => {
    await fill(...Array.from({ length: 5 }, (_, _id) => ({ _id })));
    expect(await idsOf({}, { skip: 1.5, limit: 2.5, batchSize: 1.5 })).toEqual([1, 2]);
    expect(await idsOf({}, { skip: NaN })).toHaveLength(5);
  });

  it('ends when its cursor is killed', async () => {
    await fill(...Array.from({ length: 5 }, (_, n) => ({ n })));
    const cursor = suite.things.find({}, { batchSize: 2 });
    await cursor.next();
    const { id } = cursor;
    const command = (fields: Fields) => suite.connection.db?.command(fields);
    const killed = { killCursors: suite.things.collectionName, cursors: [id, Long.fromNumber(7)] };
    expect(await command(killed)).toMatchObject({ cursorsKilled: [id], cursorsNotFound: [7] });
    const more = command({ getMore: id, collection: suite.things.collectionName });
    await expect(more).rejects.toMatchObject({ code: 43 });
  });

  describe('is refused, with MongoDB’s code', () => {
    it.each<[string, Fields, number]>([
      ['an unknown operator', { $nope: 1 }, 2],
      ['an unknown operator of a field', { a: { $nope: 1 } }, 2],
      ['an empty list of conditions', { $and: [] }, 2],
      ['conditions that are no list', { $or: { a: 1 } }, 2],
      ['conditions that are no documents', { $nor: [5] }, 2],
      ['a negative size', { a: { $size: -1 } }, 2],
      ['a division by zero', { a: { $mod: [0, 1] } }, 2],
      ['half a division', { a: { $mod: [2] } }, 2],
      ['options of no pattern', { a: { $options: 'i' } }, 2],
      ['a pattern that is none', { a: { $regex: 5 } }, 2],
      ['a flag that is none', { a: { $regex: 'a', $options: 'z' } }, 51108],
      ['a pattern that cannot be read', { a: { $regex: '(' } }, 51091],
      ['the opposite of a value', { a: { $not: 5 } }, 2],
      ['all of no list', { a: { $all: 5 } }, 2],
      ['conditions and values in one list', { a: { $all: [{ $elemMatch: { x: 1 } }, { x: 1 }] } }, 2],
      ['a condition among values', { a: { $all: [{ $gt: 1 }] } }, 2],
      ['a value in no list', { a: { $in: 5 } }, 2],
      ['an operator in a list of values', { a: { $in: [{ $gt: 1 }] } }, 2],
      ['more than a pattern', { a: { $gt: /x/ } }, 2],
      ['elements that match no document', { a: { $elemMatch: 5 } }, 2],
      ['a type that is none', { a: { $type: 'nope' } }, 2],
      ['a type of no number', { a: { $type: 99 } }, 2],
      ['an expression over a variable that nobody set', { $expr: { $eq: ['$a', '$$nobody'] } }, 17276],
    ])('%s', async (_name, filter, code) => {
      await fill({ a: 1 });
      await expect(idsOf(filter)).rejects.toMatchObject({ code });
    });

    it.each<[string, object, number]>([
      ['fields to show and fields to hide', { projection: { a: 1, b: 0 } }, 31254],
      ['fields to hide and fields to show', { projection: { a: 0, b: 1 } }, 31253],
      ['no elements of an array', { projection: { a: { $slice: [1, 0] } } }, 28724],
      ['a negative number to skip', { skip: -1 }, 51024],
      ['less than nothing at a time', { batchSize: -1 }, 51024],
      ['an order that is none', { sort: { a: 2 } }, 15975],
      ['a field that is an operator', { projection: { $a: 1 } }, 16410],
      ['the element that matched, and more of it', { projection: { 'a.$.b': 1 } }, 31394],
      ['two elements that matched', { filter: { a: 1 }, projection: { 'a.$': 1, 'b.$': 1 } }, 31276],
      ['a hint at no index', { hint: 'nobody' }, 2],
      ['a hint at no key', { hint: { nobody: 1 } }, 2],
      ['spaces in a pattern that mean nothing', { filter: { a: { $regex: 'a b', $options: 'x' } } }, 51108],
    ])('%s', async (_name, options, code) => {
      await fill({ a: [1] });
      const command = { find: suite.things.collectionName, filter: {}, ...options };
      await expect(suite.connection.db?.command(command)).rejects.toMatchObject({ code });
    });

    it('one path that is shown twice', async () => {
      await fill({ a: 1 });
      for (const projection of [
        { a: 1, 'a.b': 1 },
        { 'a.b': 1, a: 1 },
      ]) {
        await expect(idsOf({}, { projection })).rejects.toThrow('Path collision');
      }
    });

    it('the element that matched, where there is none', async () => {
      await expect(projected({ a: [1], b: [2] }, { 'b.$': 1 }, { a: 1 })).resolves.toEqual({ b: [2] });
      await expect(projected({ a: [1, 3], b: [2] }, { 'b.$': 1 }, { a: 3 })).rejects.toMatchObject({ code: 51247 });
    });
  });
});
