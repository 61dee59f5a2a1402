import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { driverSuite, isMongodb, SERVER, type Fields } from './embedded-mongodb-contract.js';

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

  it('adds up what comes, by a key that the pipeline makes', async () => {
    const rollup = (...logins: Fields[]) =>
      suite.over(
        logins,
        { $group: { _id: { user: '$user', day: '$day' }, count: { $sum: 1 } } },
        { $set: { day: '$_id.day', user: '$_id.user' } },
        { $merge: { into: target, whenMatched: 'replace' } },
      );
    await rollup({ user: 1, day: 'mon' }, { user: 2, day: 'mon' });
    await rollup({ user: 1, day: 'mon' }, { user: 1, day: 'mon' }, { user: 1, day: 'tue' });
    expect(await stored()).toEqual([
      { user: 1, day: 'mon', count: 2 },
      { user: 1, day: 'tue', count: 1 },
      { user: 2, day: 'mon', count: 1 },
    ]);
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
    await suite.over([{ user: 1 }, { user: 2 }], { $merge: { into: target, whenMatched: 'fail' } });
    expect(await stored()).toEqual([{ user: 0 }, { user: 1 }, { user: 2 }]);
  });

  it('writes no field of a dollar into what is there', async () => {
    await suite.things.insertOne({ _id: 1, a: 1 } as never);
    await collection().insertOne({ _id: 1, b: 1 } as never);
    const set = { $replaceWith: { $setField: { field: { $literal: '$dollar' }, input: '$$ROOT', value: 1 } } };
    await expect(suite.aggregate(set, { $merge: target })).rejects.toMatchObject({ code: 52 });
    expect(await stored()).toEqual([{ b: 1 }]);
  });

  it.each<[Fields]>([[{ on: 'user' }], [{ whenMatched: [{ $set: { n: 1 } }] }], [{ whenMatched: 'toString' }]])(
    'by %j is refused, and changes nothing',
    async (options) => {
      await collection().createIndex({ user: 1 });
      await collection().insertOne({ user: 1 });
      const refusal = suite.over([{ user: 1, a: 1 }], { $merge: { into: target, ...options } });
      if (!isMongodb) await expect(refusal).rejects.toThrow('use MongoDB for it');
      else await refusal.catch(() => undefined);
      if (!isMongodb) expect(await stored()).toEqual([{ user: 1 }]);
    },
  );

  it.each<[Fields, number]>([
    [{ into: null }, 16990],
    [{ into: { db: 5, coll: 'x' } }, 16990],
    [{ whenmatched: 'merge' }, 40415],
  ])('says what is wrong with %j', async (options, code) => {
    await expect(suite.over([{ a: 1 }], { $merge: { into: target, ...options } })).rejects.toMatchObject({ code });
  });
});
