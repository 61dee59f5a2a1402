import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { driverSuite, SERVER, type Fields } from './embedded-mongodb-contract.js';

describe(`$merge on ${SERVER}`, () => {
  const suite = driverSuite();
  let target: string;
  beforeEach(() => {
    target = `target-${randomUUID()}`;
  });
  const collection = () => suite.connection.collection<Fields>(target);
  const stored = () =>
    collection()
      .find({}, { projection: { _id: 0 }, sort: { user: 1, day: 1 } })
      .toArray();
  const unique = (...fields: string[]) =>
    collection().createIndex(Object.fromEntries(fields.map((field) => [field, 1])), { unique: true });
  const merge = (documents: Fields[], options: Fields) =>
    suite.over(documents, { $merge: { into: target, ...options } });

  it('adds up what comes day by day, on the fields of a unique index', async () => {
    await unique('user', 'day');
    const rollup = (...logins: Fields[]) =>
      suite.over(
        logins,
        { $group: { _id: { user: '$user', day: '$day' }, count: { $sum: 1 } } },
        { $project: { _id: 0, user: '$_id.user', day: '$_id.day', count: 1 } },
        {
          $merge: {
            into: target,
            on: ['day', 'user'],
            whenMatched: [{ $set: { count: { $add: ['$count', '$$new.count'] }, again: true } }],
          },
        },
      );
    await rollup({ user: 1, day: 'mon' }, { user: 1, day: 'mon' }, { user: 2, day: 'mon' });
    await rollup({ user: 1, day: 'mon' }, { user: 1, day: 'tue' });
    expect(await stored()).toEqual([
      { user: 1, day: 'mon', count: 3, again: true },
      { user: 1, day: 'tue', count: 1 },
      { user: 2, day: 'mon', count: 1 },
    ]);
  });

  it.each<[unknown, Fields]>([
    ['merge', { user: 1, o: { x: 1 }, b: 2, a: 1 }],
    ['replace', { user: 1, o: { x: 1 }, b: 2 }],
    ['keepExisting', { user: 1, o: { x: 1 }, a: 1 }],
    [[{ $replaceWith: { user: '$user', o: '$o', both: ['$a', '$$new.b'] } }], { user: 1, o: { x: 1 }, both: [1, 2] }],
    [[{ $unset: 'a' }], { user: 1, o: { x: 1 } }],
  ])('by %j leaves the identity of what is there, and finds it by a nested field', async (whenMatched, expected) => {
    await unique('o.x');
    const { insertedId } = await collection().insertOne({ user: 1, o: { x: 1 }, a: 1 });
    await merge([{ user: 1, o: { x: 1 }, b: 2 }], { on: 'o.x', whenMatched });
    expect(await collection().find().toArray()).toEqual([{ _id: insertedId, ...expected }]);
  });

  it('knows variables of its own, and those of the command', async () => {
    await collection().insertOne({ _id: 1, n: 1 } as never);
    await suite.things.insertOne({ _id: 1, n: 5 } as never);
    const whenMatched = [{ $set: { n: { $add: ['$n', '$$theirs', '$$bonus'] } } }];
    const stage = { $merge: { into: target, let: { theirs: '$n' }, whenMatched } };
    await suite.things.aggregate([stage], { let: { bonus: 100 } }).toArray();
    expect(await stored()).toEqual([{ n: 106 }]);
  });

  it('follows a hint where it reads alone', async () => {
    await suite.things.createIndex({ n: 1 }, { name: 'by n' });
    await suite.things.insertOne({ n: 1 });
    const pipeline = [{ $match: { n: 1 } }, { $project: { _id: 0 } }, { $merge: target }];
    await suite.things.aggregate(pipeline, { hint: 'by n' }).toArray();
    const matched = [{ $match: { n: 1 } }, { $set: { _id: 7 } }, { $merge: target }];
    for (let i = 0; i < 2; i += 1) await suite.things.aggregate(matched, { hint: 'by n' }).toArray();
    expect(await stored()).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('gives documents without an _id new ones, and matches nothing with them', async () => {
    await collection().insertOne({ user: 0 });
    await merge([{ user: 1 }, { user: 2 }], { whenMatched: [{ $set: { matched: true } }] });
    expect(await stored()).toEqual([{ user: 0 }, { user: 1 }, { user: 2 }]);
  });

  it.each<[Fields, Fields, number]>([
    [{}, { on: 5 }, 51186],
    [{}, { on: [] }, 51187],
    [{}, { on: ['user', 5] }, 51134],
    [{ user: 1 }, { on: 'other' }, 51183],
    [{ user: 1 }, { on: ['user', 'other'] }, 51183],
    [{ user: 1 }, { on: 'partial' }, 51183],
    [{ day: 1 }, { on: 'user' }, 51132],
    [{ user: null }, { on: 'user' }, 51132],
    [{ user: [1] }, { on: 'user' }, 51185],
    [{ user: 1 }, { on: 'user', whenMatched: 'fail' }, 11000],
    [{ user: 1 }, { on: 'user', whenMatched: [{ $set: { _id: 5 } }] }, 66],
    [{ user: 1 }, { on: 'user', whenMatched: [{ $match: {} }] }, 72],
    [{ user: 1 }, { on: 'user', let: { n: 1 } }, 51199],
    [{ user: 1 }, { on: 'user', let: { new: '$a' }, whenMatched: [] }, 51273],
    [{ user: 1 }, { on: 'user', let: { ROOT: 1 }, whenMatched: [] }, 16867],
    [{ user: 1 }, { on: 'user', whenMatched: 'keepExisting', whenNotMatched: 'discard' }, 51181],
    [{ user: 2 }, { on: 'user', whenMatched: [{ $set: { z: { $nope: 1 } } }] }, 168],
    [{ user: 2 }, { on: 'user', whenMatched: [{ $set: 5 }] }, 40272],
    [{ user: 1 }, { on: ['user', 'user,day'] }, 51183],
    [{ user: 1 }, { into: null }, 16990],
    [{ user: 1 }, { into: { db: 5, coll: 'x' } }, 16990],
    [{ user: 1 }, { on: 'user', let: 5, whenMatched: [] }, 14],
  ])('of %j by %j is refused, and changes nothing', async (document, options, code) => {
    await unique('user');
    await collection().createIndex({ partial: 1 }, { unique: true, partialFilterExpression: { partial: { $gt: 5 } } });
    await collection().insertOne({ user: 1, a: 1 });
    await expect(merge([document], options)).rejects.toMatchObject({ code });
    expect(await stored()).toEqual([{ user: 1, a: 1 }]);
  });

  it('takes what is null for what is not there, and always knows the new document', async () => {
    await unique('user');
    await collection().insertOne({ user: 1, n: 1 });
    const nothing = { let: null, whenNotMatched: null };
    await merge([{ user: 1, n: 2 }], { on: 'user', ...nothing, whenMatched: null });
    await merge([{ user: 1, n: 3 }], { on: 'user', ...nothing, whenMatched: [{ $set: { m: '$$new.n' } }] });
    const named = { let: { this: '$n' }, whenMatched: [{ $set: { both: ['$$new.n', '$$this'] } }] };
    await merge([{ user: 1, n: 4 }], { on: 'user', ...named });
    expect(await stored()).toEqual([{ user: 1, n: 2, m: 3, both: [4, 4] }]);
  });

  it.each<[Fields | undefined, Fields | undefined, Fields, unknown]>([
    [undefined, { locale: 'en', strength: 2 }, {}, 51183],
    [{ locale: 'en', strength: 2 }, { locale: 'en', strength: 2 }, {}, ['a', 'b']],
    [{ locale: 'en', strength: 2 }, undefined, {}, 51183],
    [undefined, { locale: 'en', strength: 2 }, { collation: { strength: 2, locale: 'en' } }, ['a', 'b']],
    [undefined, undefined, { collation: { locale: 'simple' } }, ['A', 'a', 'b']],
  ])('compares as its pipeline does: source %j, index %j, command %j', async (source, index, options, expected) => {
    const from = `source-${randomUUID()}`;
    await suite.connection.createCollection(from, { collation: source as never });
    await suite.connection.collection(from).insertMany([{ k: 'A' }, { k: 'b' }]);
    await collection().createIndex({ k: 1 }, { unique: true, ...(index && { collation: index as never }) });
    await collection().insertOne({ k: 'a' });
    const pipeline = [{ $unset: '_id' }, { $merge: { into: target, on: 'k', whenMatched: 'keepExisting' } }];
    const merged = suite.connection.collection(from).aggregate(pipeline, options).toArray();
    if (typeof expected === 'number') return expect(merged).rejects.toMatchObject({ code: expected });
    await merged;
    expect((await collection().find().toArray()).map(({ k }) => k).toSorted()).toEqual(expected);
  });

  it('writes no field of a dollar into what is there', async () => {
    await suite.things.insertOne({ _id: 1, a: 1 } as never);
    await collection().insertOne({ _id: 1, b: 1 } as never);
    const set = { $replaceWith: { $setField: { field: { $literal: '$dollar' }, input: '$$ROOT', value: 1 } } };
    await expect(suite.aggregate(set, { $merge: target })).rejects.toMatchObject({ code: 52 });
    expect(await stored()).toEqual([{ b: 1 }]);
  });

  it('gives no document another _id', async () => {
    await unique('user');
    const { insertedId } = await collection().insertOne({ user: 1, a: 1 });
    await suite.things.insertOne({ user: 1, b: 1 });
    const refusal = suite.aggregate({ $merge: { into: target, on: 'user' } });
    await expect(refusal).rejects.toMatchObject({ code: 66 });
    expect(await collection().find().toArray()).toEqual([{ _id: insertedId, user: 1, a: 1 }]);
  });
});
