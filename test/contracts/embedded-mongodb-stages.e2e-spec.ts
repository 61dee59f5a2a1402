import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

const { Decimal128, ObjectId } = mongoose.mongo;

describe(`Stages of aggregations on ${SERVER}`, () => {
  const suite = driverSuite();
  const xs = (...values: unknown[]) => values.map((x) => ({ x }));

  it('skip and limit what other stages have made', async () => {
    const sorted = [{ $group: { _id: '$x' } }, { $sort: { _id: 1 } }];
    const rest = (...stages: Fields[]) => suite.over(xs(3, 1, 2, 3, 5, 4), ...sorted, ...stages);
    expect(await rest({ $skip: 1 }, { $limit: 3 })).toEqual([{ _id: 2 }, { _id: 3 }, { _id: 4 }]);
    expect(await rest({ $limit: 3 }, { $skip: 1 })).toEqual([{ _id: 2 }, { _id: 3 }]);
    expect(await rest({ $skip: 5 })).toEqual([]);
  });

  it.each([
    [{ $project: { y: { $toInt: '$x' } } }, 241, 'ConversionFailure'],
    [{ $set: { y: { $nothing: '$x' } } }, 168, 'InvalidPipelineOperator'],
  ])('are refused by a code and its name: %j', async (stage, code, codeName) => {
    await expect(suite.over(xs('text'), stage)).rejects.toMatchObject({ code, codeName });
  });

  describe('$facet', () => {
    it('shows each of its pipelines the same documents, whatever the others do to them', async () => {
      const documents = [
        { x: 1, o: { p: [1, 2] } },
        { x: 2, o: { p: [3] } },
      ];
      const facets = {
        sums: [{ $unwind: '$o.p' }, { $group: { _id: null, sum: { $sum: '$o.p' } } }],
        changed: [{ $set: { 'o.p': 0 } }, { $project: { o: 1 } }],
        all: [{ $sort: { x: -1 } }],
        none: [{ $match: { x: 9 } }],
        every: [],
      };
      expect(await suite.over(documents, { $facet: facets })).toEqual([
        {
          sums: [{ _id: null, sum: 6 }],
          changed: [{ o: { p: 0 } }, { o: { p: 0 } }],
          all: documents.toReversed(),
          none: [],
          every: documents,
        },
      ]);
    });

    it('yields one document where there is none, and knows the variables around it', async () => {
      expect(await suite.over([], { $facet: { found: [{ $count: 'n' }] } })).toEqual([{ found: [] }]);
      await suite.things.insertOne({ x: 5 });
      const facet = { $facet: { found: [{ $match: { $expr: { $eq: ['$x', '$$wanted'] } } }, { $count: 'n' }] } };
      expect(await suite.things.aggregate([facet], { let: { wanted: 5 } }).toArray()).toEqual([{ found: [{ n: 1 }] }]);
    });

    it.each<[unknown, number | undefined]>([
      [{}, 40169],
      ['text', 40169],
      [{ a: { $match: {} } }, 40170],
      [{ a: [{ $facet: { b: [] } }] }, 40600],
      [{ a: [{ $out: 'others' }] }, 40600],
      [{ a: [{ $merge: 'others' }] }, 40600],
      [{ 'a.b': [] }, undefined],
      [{ $a: [] }, undefined],
      [{ a: [{ $nope: 1 }] }, 40324],
      [{ a: [{ $documents: [] }] }, 40600],
      [{ a: [null] }, 40323],
      [{ a: ['text'] }, 40323],
    ])('refuses %j', async (specification, code) => {
      const refusal = suite.aggregate({ $facet: specification });
      await expect(refusal).rejects.toThrow(mongoose.mongo.MongoServerError);
      if (code !== undefined) await expect(refusal).rejects.toMatchObject({ code });
    });
  });

  describe('$unionWith', () => {
    const others = async (...documents: Fields[]): Promise<string> => {
      const name = `others-${randomUUID()}`;
      await suite.connection.collection(name).insertMany(documents as never);
      return name;
    };
    const union = (specification: unknown, ...stages: Fields[]) =>
      suite.over(xs(1, 2), { $unionWith: specification }, { $unset: '_id' }, ...stages);

    it('adds the documents of another collection, all or those that its pipeline yields', async () => {
      const name = await others({ x: 3 }, { x: 4 });
      expect(await union(name)).toEqual(xs(1, 2, 3, 4));
      expect(await union({ coll: name })).toEqual(xs(1, 2, 3, 4));
      expect(await union({ coll: name, pipeline: [{ $match: { x: 4 } }] })).toEqual(xs(1, 2, 4));
      expect(await union(name, { $group: { _id: null, sum: { $sum: '$x' } } })).toEqual([{ _id: null, sum: 10 }]);
      expect(await union(`none-${randomUUID()}`)).toEqual(xs(1, 2));
    });

    it('adds what a pipeline makes of nothing, and unions within it', async () => {
      const [name, inner] = [await others({ x: 3 }), await others({ x: 5 })];
      expect(await union({ pipeline: [{ $documents: [{ x: 7 }, { x: { $add: [4, 4] } }] }] })).toEqual(xs(1, 2, 7, 8));
      expect(await union({ coll: name, pipeline: [{ $unionWith: inner }] })).toEqual(xs(1, 2, 3, 5));
      expect(await union({ coll: name, pipeline: null })).toEqual(xs(1, 2, 3));
      const counted = { $map: { input: { $range: [0, 3] }, in: { x: '$$this' } } };
      expect(await union({ pipeline: [{ $documents: counted }] })).toEqual(xs(1, 2, 0, 1, 2));
    });

    it('leaves what is stored as it is, and follows the collation', async () => {
      const name = await others({ x: 'A' }, { x: 'b' });
      const pipeline = [{ $unionWith: { coll: name, pipeline: [{ $match: { x: 'a' } }, { $set: { x: 'c' } }] } }];
      const found = await suite.things.aggregate(pipeline, { collation: { locale: 'en', strength: 2 } }).toArray();
      expect(found).toMatchObject(xs('c'));
      expect(await suite.connection.collection(name).find().toArray()).toMatchObject(xs('A', 'b'));
    });

    it.each<[unknown]>([
      [5],
      [{}],
      [{ pipeline: [] }],
      [{ coll: 'others', pipelin: [] }],
      [{ pipeline: [{ $project: { x: 1 } }] }],
      [{ coll: 'others', pipeline: [{ $documents: [] }] }],
      [{ coll: 'others', pipeline: [null] }],
      [{ pipeline: [{ $documents: [1, 2] }] }],
      [{ pipeline: [{ $documents: { x: 1 } }] }],
      [{ coll: 'others', pipeline: 5 }],
    ])('refuses %j', async (specification) => {
      await expect(union(specification)).rejects.toThrow(mongoose.mongo.MongoServerError);
    });
  });

  it('$lookup joins what is written down by a field, or takes all of it', async () => {
    const documents = [{ $documents: [{ y: 1 }, { y: 2 }] }];
    const stage = { $lookup: { localField: 'x', foreignField: 'y', pipeline: documents, as: 'found' } };
    expect((await suite.over(xs(1, 3), stage)).map(({ found }) => found)).toEqual([[{ y: 1 }], []]);
    const all = { $lookup: { pipeline: [...documents, { $match: { y: 2 } }], as: 'found' } };
    expect((await suite.over(xs(1), all)).map(({ found }) => found)).toEqual([[{ y: 2 }]]);
  });

  it('$lookup joins for what an index finds, and for what a pipeline asks again, what it joins for all', async () => {
    const [users, comments] = [randomUUID(), randomUUID()].map((name) => suite.connection.collection<Fields>(name));
    await users?.insertMany(Array.from({ length: 50 }, (_, n) => ({ _id: n, tags: [n, n + 1], like: /x/ })) as never);
    await users?.createIndex({ tags: 1 });
    await comments?.insertMany(Array.from({ length: 30 }, (_, n) => ({ post: n % 10, by: n })));
    const join = (localField: string, foreignField: string) => ({
      $lookup: { from: users?.collectionName, localField, foreignField, as: 'found' },
    });
    const ids = (documents: Fields[]) => documents.map(({ found }) => (found as Fields[]).map(({ _id }) => _id));
    const locals = [{ k: 7 }, { k: [40, 3] }, { k: { $gt: 5 } }, { k: /x/ }, {}];
    expect(ids(await suite.over(locals, join('k', '_id')))).toEqual([[7], [3, 40], [], [], []]);
    expect(ids(await suite.over(locals, join('k', 'tags')))).toEqual([[6, 7], [2, 3, 39, 40], [], [], []]);
    expect(ids(await suite.over(locals.slice(0, 2), join('k', 'tags')))).toEqual([
      [6, 7],
      [2, 3, 39, 40],
    ]);
    const pipeline = [{ $lookup: { from: users?.collectionName, localField: 'by', foreignField: '_id', as: 'user' } }];
    const from = comments?.collectionName;
    const found = await suite.over(
      Array.from({ length: 10 }, (_, post) => ({ post })),
      { $lookup: { from, localField: 'post', foreignField: 'post', pipeline, as: 'comments' } },
      { $project: { users: { $map: { input: '$comments', in: { $first: '$$this.user._id' } } } } },
    );
    expect(found.map(({ users }) => users)).toEqual(Array.from({ length: 10 }, (_, n) => [n, n + 10, n + 20]));
  });

  it('$lookup puts what it found in the place of a list, and its variables reach written documents', async () => {
    const other = suite.connection.collection<Fields>(randomUUID());
    await other.insertOne({ p: 1 });
    const as = { from: other.collectionName, localField: 'items.p', foreignField: 'p', as: 'items.found' };
    const [found] = await suite.over([{ items: [{ p: 1 }, { p: 2 }] }], { $lookup: as });
    expect(found).toMatchObject({ items: { found: [{ p: 1 }] } });
    const written = { $lookup: { let: { v: '$x' }, pipeline: [{ $documents: [{ y: '$$v' }] }], as: 'in' } };
    expect((await suite.over(xs(7, 8), written)).map((one) => one['in'])).toEqual([[{ y: 7 }], [{ y: 8 }]]);
  });

  it.each<[Fields, number]>([
    [{ $sort: { $a: 1 } }, 16410],
    [{ $sort: { '': 1 } }, 16410],
    [{ $unwind: '$$a' }, 16410],
    [{ $unwind: '$a..b' }, 16410],
    [{ $unwind: { path: '$a', includeArrayIndex: 'i..j' } }, 16410],
    [{ $lookup: { from: 'x', localField: '$x', foreignField: 'x', as: 'y' } }, 16410],
    [{ $lookup: { from: 'x', localField: 'x', foreignField: '', as: 'y' } }, 16410],
    [{ $lookup: { from: 'x', localField: 'x', pipeline: [], as: 'y' } }, 9],
    [{ $lookup: { from: 'x', localField: 'x', foreignField: 'x', as: '__proto__' } }, 2],
    [{ $graphLookup: { from: 'x', startWith: 1, connectFromField: '$a', connectToField: 'b', as: 'y' } }, 16410],
    [{ $set: { a: 1, 'a.b': 2 } }, 40176],
    [{ $project: { a: {} } }, 51270],
    [{ $match: { a: { $gt: 0, constructor: 1 } } }, 2],
  ])('%j is refused, where a slip would otherwise lead to nothing', async (stage, code) => {
    await expect(suite.over([{ a: [1] }], stage)).rejects.toMatchObject({ code });
  });

  it('$documents stands at the beginning, or nothing is replaced', async () => {
    await suite.things.insertMany(xs(1, 2));
    const out = { $out: suite.things.collectionName };
    for (const before of [{ $match: {} }, { $sort: { x: 1 } }]) {
      await expect(suite.aggregate(before, { $documents: [{ x: 7 }] }, out)).rejects.toMatchObject({ code: 40602 });
    }
    expect(await suite.things.find().toArray()).toMatchObject(xs(1, 2));
  });

  it.each(['$addFields', '$set', '$group', '$bucket', '$lookup', '$graphLookup', '$replaceRoot'])(
    '%s is refused in words when it is no object',
    async (name) => {
      for (const specification of [null, 5, 'text', true]) {
        const refusal = suite.over(xs(1), { [name]: specification });
        await expect(refusal).rejects.toThrow(`the ${name} specification must be an object`);
      }
    },
  );

  it.each<[unknown]>([
    [{ from: 'others', as: 'found', pipeline: 5 }],
    [{ from: 5, as: 'found', pipeline: [] }],
    [{ from: 'others', as: '', pipeline: [] }],
    [{ from: 'others', as: '$x', pipeline: [] }],
    [{ as: 'found', pipeline: [{ $match: {} }] }],
    [{ from: 'others', as: 'found', pipeline: [], let: { X: 1 } }],
    [{ from: 'others', as: 'found', pipeline: [], let: { 'a.b': 1 } }],
  ])('$lookup refuses %j', async (specification) => {
    await expect(suite.over(xs(1), { $lookup: specification })).rejects.toThrow(mongoose.mongo.MongoServerError);
  });

  it.each<[Fields, number]>([
    [{ groupBy: '$x', boundaries: [0, 5], defaults: 1 }, 40197],
    [{ boundaries: [0, 5] }, 40198],
    [{ groupBy: '$x', boundaries: 5 }, 40200],
    [{ groupBy: '$x', boundaries: [0] }, 40192],
    [{ groupBy: '$x', boundaries: [5, 0] }, 40194],
    [{ groupBy: '$x', boundaries: [5, 5] }, 40194],
    [{ groupBy: '$x', boundaries: [0, 2, 5], default: 1 }, 40199],
    [{ groupBy: '$x', boundaries: [0, 'a'] }, 40193],
    [{ groupBy: '$x', boundaries: ['$x', 9] }, 40191],
    [{ groupBy: '$x', boundaries: [0, { $add: ['$x', 9] }] }, 40191],
    [{ groupBy: '$x', boundaries: [0, 5], default: '$x' }, 40195],
    [{ groupBy: 'x', boundaries: [0, 5] }, 40202],
    [{ groupBy: null, boundaries: [0, 5] }, 40202],
    [{ groupBy: '$x', boundaries: [0, 5], output: 5 }, 40196],
  ])('boundaries are refused where they are none: %j', async (specification, code) => {
    await expect(suite.over(xs(1), { $bucket: specification })).rejects.toMatchObject({ code });
  });

  it('count equal values by BSON', async () => {
    const values = xs(5, Decimal128.fromString('5.0'), 5, 7, null);
    expect((await suite.over(values, { $sortByCount: '$x' })).map(({ count }) => count)).toEqual([3, 1, 1]);
  });

  it('project a document to where there was a scalar', async () => {
    const documents = [{ a: 5 }, { a: [1, { b: 2, c: 3 }] }, {}];
    expect(await suite.over(documents, { $project: { 'a.b': { $literal: 1 } } })).toEqual([
      { a: { b: 1 } },
      { a: [{ b: 1 }, { b: 1 }] },
      { a: { b: 1 } },
    ]);
  });

  it('project what is calculated behind what is there, and a document where nothing is calculated', async () => {
    expect(await suite.over([{ a: 1 }], { $project: { x: { y: '$nope' } } })).toEqual([{ x: {} }]);
    expect(await suite.over([{ a: [1, { b: 2 }] }], { $project: { 'a.c': '$nope' } })).toEqual([{ a: [{}, {}] }]);
    const [found] = await suite.over([{ a: 1, b: 2 }], { $project: { b: 1, a: { $add: ['$a', 1] } } });
    expect(Object.entries(found ?? {})).toEqual([
      ['b', 2],
      ['a', 2],
    ]);
  });

  it('take what $slice cuts out of an expression for an inclusion', async () => {
    await suite.things.insertOne({ _id: 1, a: [1, 2, 3], k: 2 } as never);
    const found = (projection: Fields) => suite.things.findOne({}, { projection });
    expect(await found({ x: { $slice: ['$a', 2] } })).toEqual({ _id: 1, x: [1, 2] });
    expect(await found({ a: { $slice: 1 } })).toEqual({ _id: 1, a: [1], k: 2 });
    await expect(found({ x: { $slice: ['$a', 2] }, k: 0 })).rejects.toThrow(mongoose.mongo.MongoServerError);
  });

  it('put into a bucket of its own, which is calculated, what belongs to none', async () => {
    const bucket = { groupBy: '$x', boundaries: [0, 5] };
    const other = { ...bucket, default: { $literal: '$other' } };
    expect(await suite.over(xs(-1, 1, 9), { $bucket: other })).toEqual([
      { _id: 0, count: 1 },
      { _id: '$other', count: 2 },
    ]);
    for (const x of [-1, 9])
      await expect(suite.over(xs(x), { $bucket: bucket })).rejects.toMatchObject({ code: 7158300 });
  });

  describe('$lookup, whose local field', () => {
    const foreign = [
      { _id: 'null', f: null },
      { _id: 'missing' },
      { _id: 1, f: 1 },
      { _id: 'list', f: [1, 2] },
      { _id: 'empty', f: [] },
    ];
    it.each<[string, Fields, string, unknown[]]>([
      ['is missing', {}, 'a', ['null', 'missing']],
      ['is an empty list', { a: [] }, 'a', ['null', 'missing']],
      ['is a list', { a: [1, 7] }, 'a', [1, 'list']],
      ['is a list of a list', { a: [[1, 2]] }, 'a', ['list']],
      ['is a list of an empty list', { a: [[]] }, 'a', ['empty']],
      ['lies in documents of which one lacks it', { a: [{ y: 2 }, { x: 1 }] }, 'a.x', [1, 'list']],
      ['lies in what is no document', { a: [1] }, 'a.x', ['null', 'missing']],
      ['lies in an empty list', { a: [] }, 'a.x', ['null', 'missing']],
      ['lies in a scalar', { a: 1 }, 'a.x', ['null', 'missing']],
    ])('%s, joins', async (_case, local, localField, expected) => {
      const other = suite.connection.collection(`foreign-${new ObjectId().toHexString()}`);
      await other.insertMany(foreign as never);
      const [found] = await suite.over([local], {
        $lookup: { from: other.collectionName, localField, foreignField: 'f', as: 'j' },
      });
      expect(((found?.['j'] ?? []) as Fields[]).map(({ _id }) => _id)).toEqual(expected);
    });
  });
});
