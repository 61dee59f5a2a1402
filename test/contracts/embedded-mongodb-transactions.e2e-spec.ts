import { setTimeout as pause } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { driverSuite, mongoose, mongooseSuite, SERVER } from './embedded-mongodb-contract.js';

describe(`A transaction of Mongoose on ${SERVER}`, () => {
  const suite = mongooseSuite();
  const { model } = suite;

  const accounts = async () => {
    const Account = model<{ name: string; balance: number }>({
      name: { type: String, unique: true },
      balance: Number,
    });
    await Account.init();
    return Account;
  };

  it('show their writes to nobody else before the commit', async () => {
    const Account = await accounts();
    await suite.connection.transaction(async (session) => {
      await Account.create([{ name: 'a', balance: 1 }], { session });
      expect(await Account.countDocuments({}, { session })).toBe(1);
      expect(await Account.countDocuments()).toBe(0);
    });
    expect(await Account.countDocuments()).toBe(1);
  });

  it('leave nothing behind when they fail', async () => {
    const Account = await accounts();
    await Account.create({ name: 'a', balance: 10 });
    const failing = suite.connection.transaction(async (session) => {
      await Account.updateOne({ name: 'a' }, { $inc: { balance: 5 } }, { session });
      await Account.create([{ name: 'b', balance: 0 }], { session });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect((await Account.find()).map(({ name, balance }) => [name, balance])).toEqual([['a', 10]]);
  });

  it('are retried on conflict until every increment counts', async () => {
    const Account = await accounts();
    await Account.create({ name: 'a', balance: 0 });
    const increment = () =>
      suite.connection.transaction(async (session) => {
        const account = await Account.findOne({ name: 'a' }).session(session);
        await Account.updateOne({ name: 'a' }, { $set: { balance: (account?.balance ?? 0) + 1 } }, { session });
      });
    await Promise.all(Array.from({ length: 10 }, increment));
    expect((await Account.findOne({ name: 'a' }))?.balance).toBe(10);
  });

  it('get the duplicate key error for a value that was committed before', async () => {
    const Account = await accounts();
    await Account.create({ name: 'a' });
    const failing = suite.connection.transaction((session) => Account.create([{ name: 'a' }], { session }));
    await expect(failing).rejects.toMatchObject({ code: 11000 });
  });

  it.each([true, false])(
    'get an error for the one of many that is there already, and end with it, ordered: %s',
    async (ordered) => {
      const Account = await accounts();
      await Account.create({ name: 'a' });
      const session = await suite.connection.startSession();
      session.startTransaction();
      const many = Account.insertMany([{ name: 'b' }, { name: 'a' }, { name: 'c' }], { session, ordered });
      const error = await many.catch((refusal: mongo.MongoBulkWriteError) => refusal);
      const writeErrors = [(error as mongo.MongoBulkWriteError).writeErrors].flat();
      expect(writeErrors.map(({ index, code }) => [index, code])).toEqual([[1, 11000]]);
      await expect(Account.findOne({}, null, { session })).rejects.toMatchObject({ code: 251 });
      await session.endSession();
      expect((await Account.find()).map(({ name }) => name)).toEqual(['a']);
    },
  );

  it('conflict when two of them insert the same unique value', async () => {
    const Account = await accounts();
    const [first, second] = [await suite.connection.startSession(), await suite.connection.startSession()];
    first.startTransaction();
    second.startTransaction();
    await Account.create([{ name: 'same' }], { session: first });
    const conflict = await Account.create([{ name: 'same' }], { session: second }).catch((error) => error);
    expect(conflict.code).toBe(112);
    expect(conflict.hasErrorLabel('TransientTransactionError')).toBe(true);
    await first.commitTransaction();
    await second.abortTransaction();
    await Promise.all([first.endSession(), second.endSession()]);
    expect(await Account.countDocuments()).toBe(1);
  });

  it('read one moment, whatever is committed meanwhile', async () => {
    const Account = await accounts();
    await Account.create({ name: 'a', balance: 1 });
    const session = await suite.connection.startSession();
    session.startTransaction();
    expect(await Account.countDocuments({}, { session })).toBe(1);
    await Account.create({ name: 'b', balance: 1 });
    expect(await Account.countDocuments({}, { session })).toBe(1);
    await session.commitTransaction();
    await session.endSession();
    expect(await Account.countDocuments()).toBe(2);
  });

  it('pass their session on to the queries inside them', async () => {
    const Account = await accounts();
    mongoose.set('transactionAsyncLocalStorage', true);
    const failing = suite.connection.transaction(async () => {
      await Account.create({ name: 'a' });
      await Account.updateOne({ name: 'a' }, { balance: 3 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    mongoose.set('transactionAsyncLocalStorage', false);
    expect(await Account.countDocuments()).toBe(0);
  });
});

describe(`A transaction of the driver on ${SERVER}`, () => {
  const suite = driverSuite();

  describe('beside a writer that has none, and waits', () => {
    const failed = (error: mongo.MongoServerError) => error.code;

    /** What becomes of a write that comes after that of an open transaction. */
    const beside = async <T>(
      inside: (session: mongo.ClientSession) => Promise<unknown>,
      outside: () => Promise<T>,
      end: (session: mongo.ClientSession) => Promise<unknown> = (session) => session.commitTransaction(),
    ) => {
      const session = await suite.connection.startSession();
      session.startTransaction();
      await inside(session);
      let isWaiting = true;
      const other = outside()
        .catch(failed)
        .finally(() => (isWaiting = false));
      await pause(200);
      expect(isWaiting).toBe(true);
      await end(session);
      await session.endSession();
      return other;
    };
    const add = (n: number, options: mongo.UpdateOptions = {}) =>
      suite.things.updateOne({ n: { $lt: 10 } }, { $inc: { n } } as never, options);

    it.each([
      ['loses no update', 1, { modifiedCount: 1 }, 6],
      ['looks anew for what it is to change', 20, { matchedCount: 0 }, 20],
    ])('%s', async (_what, before, outcome, n) => {
      await suite.things.insertOne({ n: 0 });
      const other = await beside(
        (session) => add(before, { session }),
        () => add(5),
      );
      expect(other).toMatchObject(outcome);
      expect((await suite.things.findOne())?.['n']).toBe(n);
    });

    it('is done after one that was aborted, and after one whose session has ended', async () => {
      await suite.things.insertOne({ n: 0 });
      for (const end of ['abortTransaction', 'endSession'] as const) {
        await beside(
          (session) => add(20, { session }),
          () => add(1),
          (session) => session[end](),
        );
      }
      expect((await suite.things.findOne())?.['n']).toBe(2);
    });

    it('waits for one after the other, and many wait at once', async () => {
      await suite.things.insertMany([{ n: 0 }, { n: 0 }]);
      const second = await suite.connection.startSession();
      second.startTransaction();
      const others = await beside(
        async (session) => {
          await suite.things.findOneAndUpdate({}, { $inc: { n: 1 } } as never, { session, sort: { _id: 1 } });
          await suite.things.findOneAndUpdate({}, { $inc: { n: 1 } } as never, { session: second, sort: { _id: -1 } });
        },
        () => Promise.all(Array.from({ length: 50 }, () => suite.things.updateMany({}, { $inc: { n: 1 } } as never))),
        async (session) => {
          await session.commitTransaction();
          await pause(100);
          await second.commitTransaction();
        },
      );
      await second.endSession();
      expect(others).toHaveLength(50);
      expect((await suite.things.find().toArray()).map(({ n }) => n)).toEqual([51, 51]);
    });

    it('keeps unique values unique', async () => {
      await suite.things.createIndex({ name: 1 }, { unique: true });
      const other = await beside(
        (session) => suite.things.insertOne({ name: 'x' }, { session }),
        () => suite.things.insertOne({ name: 'x' }),
      );
      expect(other).toBe(11000);
      expect(await suite.things.countDocuments()).toBe(1);
      expect(await suite.things.find({ name: 'x' }).toArray()).toHaveLength(1);
    });

    it('makes and drops indexes after it, and nowhere else', async () => {
      await suite.things.createIndex({ old: 1 });
      const elsewhere = suite.connection.collection(`${suite.things.collectionName}-elsewhere`);
      const made = await beside(
        (session) => suite.things.insertOne({ name: 'x', old: 1 }, { session }),
        async () => {
          await elsewhere.createIndex({ name: 1 });
          await suite.things.createIndex({ old: 1 });
          return Promise.all([suite.things.createIndex({ name: 1 }), suite.things.dropIndex('old_1')]);
        },
      );
      expect(made).toMatchObject(['name_1', { ok: 1 }]);
      expect(await suite.things.find({ name: 'x' }).hint('name_1').toArray()).toHaveLength(1);
    });

    it('brings nothing back that was deleted', async () => {
      await suite.things.insertOne({ n: 0 });
      const other = await beside(
        (session) => add(1, { session }),
        () => suite.things.deleteOne({}),
      );
      expect(other).toMatchObject({ deletedCount: 1 });
      expect(await suite.things.find().toArray()).toEqual([]);
      expect(await suite.things.countDocuments()).toBe(0);
    });
  });

  it('survives that an index cannot be made', async () => {
    await suite.things.insertMany([{ n: 1 }, { n: 1 }]);
    const session = await suite.connection.startSession();
    session.startTransaction();
    await suite.things.insertOne({ n: 2 }, { session });
    const refused = expect(suite.things.createIndex({ n: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
    await pause(200);
    await session.commitTransaction();
    await session.endSession();
    await refused;
    expect(await suite.things.countDocuments()).toBe(3);
  });

  it('creates a collection, as its first command too', async () => {
    const name = `${suite.things.collectionName}-new`;
    const session = await suite.connection.startSession();
    await session.withTransaction(
      async () => {
        const created = await suite.connection.db?.createCollection(name, { session });
        await created?.insertOne({}, { session });
      },
      { timeoutMS: 5_000 },
    );
    await session.endSession();
    expect(await suite.connection.collection(name).countDocuments()).toBe(1);
  });

  it('sees its own writes among those of others, in either direction', async () => {
    const rows = (ns: number[]) => ns.map((n) => ({ _id: n, n, s: n % 2 === 0 ? 'even' : 'odd' })) as never;
    await suite.things.createIndex({ n: 1 });
    await suite.things.insertMany(rows([2, 4, 6, 8]));
    const session = await suite.connection.startSession();
    session.startTransaction();
    await suite.things.insertMany(rows([1, 3, 5, 9, 10]), { session });
    await suite.things.deleteMany({ n: { $in: [4, 9] } }, { session });
    await suite.things.updateOne({ n: 8 }, { $set: { n: 0 } }, { session });
    const found = async (filter: object, direction: 1 | -1, limit = 0) =>
      (await suite.things.find(filter, { session, sort: { n: direction }, limit }).toArray()).map(({ n }) => n);
    const visible = [0, 1, 2, 3, 5, 6, 10];
    expect(await found({}, 1)).toEqual(visible);
    expect(await found({}, -1)).toEqual(visible.toReversed());
    expect(await found({ n: { $gt: 1, $lte: 6 } }, -1)).toEqual([6, 5, 3, 2]);
    expect(await found({ n: { $gte: 1 } }, 1, 2)).toEqual([1, 2]);
    expect(await found({ n: { $gte: 1 } }, -1, 3)).toEqual([10, 6, 5]);
    expect(await found({ s: 'odd' }, -1, 2)).toEqual([5, 3]);
    expect(await suite.things.countDocuments({ n: { $gte: 1 } }, { session })).toBe(6);
    await session.abortTransaction();
    await session.endSession();
    expect(await suite.things.distinct('n')).toEqual([2, 4, 6, 8]);
  });

  it('says at once what it cannot do', async () => {
    await suite.things.insertOne({});
    const session = await suite.connection.startSession();
    const started = performance.now();
    const listing = session.withTransaction(() => suite.things.indexes({ session }));
    await expect(listing).rejects.toMatchObject({ code: 263 });
    expect(performance.now() - started).toBeLessThan(10_000);
    await session.endSession();
  });
});
