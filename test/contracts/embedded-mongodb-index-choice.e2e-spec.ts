import { beforeEach, describe, expect, it } from 'vitest';
import { driverSuite, type Fields, isMongodb, SERVER } from './embedded-mongodb-contract.js';

describe(`An index of ${SERVER}`, () => {
  const suite = driverSuite();
  const idsBy = async (filter: Fields) =>
    (await suite.things.find(filter as never).toArray()).map(({ _id }) => Number(_id)).sort((a, b) => a - b);
  /** The names of the indexes that a filter uses, as the server explains it; none if it reads the whole collection. */
  const indexesBy = async (filter: Fields) => {
    const plan = JSON.stringify(
      (await suite.things.find(filter as never).explain('queryPlanner'))['queryPlanner'].winningPlan,
    );
    expect(plan.includes('COLLSCAN')).toBe(!plan.includes('IXSCAN'));
    return [...new Set([...plan.matchAll(/"indexName":"(.*?)"/g)].map(([, name]) => name))].sort();
  };

  describe('of long values', () => {
    // Their keys begin alike as far as an index keeps them: a range reads all thousand, an equality finds one by its hash.
    const tokens = Array.from({ length: 1_000 }, (_, i) => `${'x'.repeat(2_000)}${i}`);
    beforeEach(async () => {
      await suite.things.createIndex({ token: 1 }, { unique: true });
      await suite.things.createIndex({ owner: 1, token: -1 });
      await suite.things.insertMany(tokens.map((token, i) => ({ _id: i, token, owner: 'o'.repeat(i) })) as never);
    });

    it('finds each', async () => {
      expect(await idsBy({ token: { $in: tokens } })).toHaveLength(tokens.length);
      expect(await idsBy({ token: { $lte: 'y' } })).toHaveLength(tokens.length);
      for (const [i, token] of tokens.entries())
        expect(await idsBy({ token: { $lte: token, $gte: token } })).toEqual([i]);
    });

    it('reads no other entry for a value', async () => {
      for (const filter of [{ token: tokens[7] }, { owner: 'o'.repeat(7), token: tokens[7] }]) {
        const { executionStats } = await suite.things.find(filter as never).explain('executionStats');
        expect([executionStats.nReturned, executionStats.totalKeysExamined]).toEqual([1, 1]);
      }
    });

    it('finds each beside another field', async () => {
      for (const [i, token] of tokens.entries()) {
        expect(await idsBy({ owner: 'o'.repeat(i), token })).toEqual([i]);
      }
    });

    it('finds each to be updated', async () => {
      const again = await suite.things.bulkWrite(
        tokens.map((token) => ({ updateOne: { filter: { token }, update: { $set: { isSeen: true } }, upsert: true } })),
      );
      expect([again.matchedCount, again.upsertedCount]).toEqual([tokens.length, 0]);
    });
  });

  it('that is partial finds what is in it alone where a hint names it', async () => {
    await suite.things.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 1, team: 'blue' },
    ] as never);
    await suite.things.createIndex({ n: 1 }, { partialFilterExpression: { team: 'blue' } });
    const hint = 'n_1';
    expect((await suite.things.find({ n: 1 }, { hint }).toArray()).map(({ _id }) => Number(_id))).toEqual([2]);
    expect(await suite.things.countDocuments({}, { hint })).toBe(1);
    const { modifiedCount } = await suite.things.updateMany({ n: 1 }, { $set: { n: 2 } }, { hint });
    expect(modifiedCount).toBe(1);
    expect(await idsBy({ n: { $gt: 0 } })).toEqual([1, 2]);
  });

  it('serves each branch of an $or', async () => {
    await suite.things.createIndexes([
      { key: { email: 1 }, name: 'email', unique: true, sparse: true },
      { key: { username: 1 }, name: 'username' },
    ]);
    await suite.things.insertMany([
      { _id: 1, email: 'a@b.io', username: 'a' },
      { _id: 2, email: 'b@b.io', username: 'a@b.io' },
      { _id: 3, username: 'c' },
    ] as never);
    const by = (login: string) => ({ $or: [{ email: login }, { username: login }] });
    expect(await indexesBy(by('a@b.io'))).toEqual(['email', 'username']);
    expect(await idsBy(by('a@b.io'))).toEqual([1, 2]);
    expect(await idsBy({ ...by('a@b.io'), _id: { $gt: 1 } })).toEqual([2]);
    expect(await suite.things.countDocuments({ $or: [{ email: 'a@b.io' }, { username: 'a' }] })).toBe(1);
    expect(await indexesBy({ $or: [{ email: 'a@b.io' }, { age: 5 }] })).toEqual([]);
    const page = suite.things.find(by('a@b.io')).sort({ _id: -1 });
    expect((await page.limit(1).toArray()).map(({ _id }) => _id)).toEqual([2]);
    await expect(suite.things.findOne({ $or: [] })).rejects.toMatchObject({ code: 2 });
  });

  it('serves any number of values, texts that begin so, and elements of arrays', async () => {
    await suite.things.createIndexes([
      { key: { name: 1 }, name: 'name' },
      { key: { 'items.sku': 1, 'items.count': 1 }, name: 'sku' },
    ]);
    const items = [
      [
        { sku: 'a', count: 1 },
        { sku: 'b', count: 2 },
      ],
      [{ sku: 'a', count: 2 }],
      [['a'], { sku: 'c' }],
    ];
    await suite.things.insertMany(items.map((items, i) => ({ _id: i + 1, name: `n${i}`, items })) as never);
    const ids = Array.from({ length: 2_000 }, (_, i) => i + 2);
    expect(await indexesBy({ _id: { $in: ids } })).toEqual(['_id_']);
    expect(await idsBy({ _id: { $in: ids } })).toEqual([2, 3]);
    expect(await indexesBy({ name: { $regex: '^n1' } })).toEqual(['name']);
    expect(await idsBy({ name: { $regex: '^n1' } })).toEqual([2]);
    const ordered = { items: { $elemMatch: { sku: 'a', count: { $gte: 2 } } } };
    expect(await indexesBy(ordered)).toEqual(['sku']);
    expect(await idsBy(ordered)).toEqual([2]);
    expect(await idsBy({ items: { $elemMatch: { 0: 'a' } } })).toEqual([3]);
  });

  it('finds elements of arrays within arrays', async () => {
    await suite.things.createIndexes([
      { key: { a: 1 }, name: 'a' },
      { key: { 'b.c': 1 }, name: 'c' },
    ]);
    await suite.things.insertMany([
      { _id: 1, a: [[5]], b: [[{ c: 5 }]] },
      { _id: 2, a: [5], b: [{ c: 5 }] },
    ] as never);
    expect(await idsBy({ a: { $elemMatch: { $elemMatch: { $in: [5] } } } })).toEqual([1]);
    expect(await idsBy({ b: { $elemMatch: { $elemMatch: { c: 5 } } } })).toEqual([1]);
  });

  it('counts what begins with nothing as texts alone', async () => {
    await suite.things.createIndex({ tenant: 1, name: 1 });
    await suite.things.insertMany([{ tenant: 1, name: 'x' }, { tenant: 1 }, { tenant: 1, name: 5 }]);
    const filter = { tenant: 1, name: /^/ };
    expect(await suite.things.find(filter).toArray()).toHaveLength(1);
    expect(await suite.things.countDocuments(filter)).toBe(1);
  });

  it.skipIf(isMongodb)('that is unique wins where all its fields are given', async () => {
    await suite.things.createIndexes([
      { key: { email: 1 }, name: 'email', unique: true },
      { key: { email: 1, at: 1 }, name: 'both' },
    ]);
    expect(await indexesBy({ email: 'a', at: 5 })).toEqual(['email']);
    expect(await indexesBy({ $and: [{ email: { $gt: 'a' } }] })).toEqual(['email']);
    expect(await indexesBy({ at: 5 })).toEqual([]);
  });

  it('is not both unique and hashed', async () => {
    await expect(suite.things.createIndex({ name: 'hashed' }, { unique: true })).rejects.toThrow(
      /cannot guarantee uniqueness/,
    );
  });
});
