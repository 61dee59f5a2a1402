import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Long, UUID, type Document } from 'bson';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dispatch } from '../../src/infrastructure/database/embedded-mongodb/commands/dispatcher.js';
import { temporaryDirectory } from '../../src/infrastructure/database/embedded-mongodb/directory.js';
import { Catalogue } from '../../src/infrastructure/database/embedded-mongodb/engine/catalogue.js';
import { CURSOR_IDLE_MS } from '../../src/infrastructure/database/embedded-mongodb/engine/cursors.js';
import { Engine } from '../../src/infrastructure/database/embedded-mongodb/engine/engine.js';
import { verify } from './embedded-mongodb-verify.js';
import {
  SESSION_LIFETIME_MS,
  TRANSACTION_LIFETIME_MS,
} from '../../src/infrastructure/database/embedded-mongodb/engine/sessions.js';
import { MOST_SNAPSHOTS, Store } from '../../src/infrastructure/database/embedded-mongodb/storage/store.js';
import { number, numberOf } from '../../src/infrastructure/database/embedded-mongodb/storage/keys.js';
import { Overlay } from '../../src/infrastructure/database/embedded-mongodb/storage/view.js';
import { decode } from '../../src/infrastructure/database/embedded-mongodb/values/decode.js';

const START = new Date('2026-01-01T00:00:00Z').getTime();

/** What the commands of a transaction say, each in a session of its own. */
const newTransaction = () => ({ lsid: { id: new UUID() }, txnNumber: Long.fromNumber(1), autocommit: false });

describe('As time goes by, the embedded store', () => {
  let now: number;
  let engine: Engine;
  let directory: ReturnType<typeof temporaryDirectory>;

  beforeEach(() => {
    now = START;
    directory = temporaryDirectory();
    engine = new Engine(Store.open(directory.dataFile, false), () => new Date(now));
  });

  afterEach(async () => {
    await engine.close();
    rmSync(directory.path, { recursive: true });
  });

  async function run(command: Document): Promise<Document> {
    const reply = await dispatch(engine, { ...command, $db: 'test' });
    return Buffer.isBuffer(reply) ? decode(reply) : reply;
  }

  async function pass(ms: number): Promise<void> {
    now += ms;
    await engine.sweep();
  }

  const insert = (documents: Document[], more: Document = {}) => run({ insert: 'things', documents, ...more });
  const count = async () => (await run({ count: 'things' }))['n'];

  it('removes documents when their lifetime is over, not before', async () => {
    const indexes = [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }];
    await run({ createIndexes: 'things', indexes });
    await insert([
      { at: new Date(START) },
      { at: new Date(START + 30_000) },
      { at: [new Date(START + 90_000), new Date(START)] },
      { at: 'never' },
      {},
    ]);
    await pass(59_999);
    expect(await count()).toBe(5);
    await pass(1);
    expect(await count()).toBe(3);
    await pass(30_000);
    expect(await count()).toBe(2);
    expect(verify(engine.store)).toEqual([]);
  });

  it('removes of those that a partial index has, and of no others', async () => {
    const partialFilterExpression = { isDraft: true };
    const index = { key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60, partialFilterExpression };
    await run({ createIndexes: 'things', indexes: [index] });
    await insert([
      { at: new Date(START), isDraft: true },
      { at: new Date(START), isDraft: false },
      { at: new Date(START) },
    ]);
    await pass(60_000);
    expect(await count()).toBe(2);
  });

  it('removes thousands of expired documents in one go', async () => {
    await run({ createIndexes: 'things', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }] });
    await insert(Array.from({ length: 4_500 }, () => ({ at: new Date(START) })));
    await insert([{ at: new Date(START + 1) }]);
    await pass(60_000);
    expect(await count()).toBe(1);
    expect(verify(engine.store)).toEqual([]);
  });

  it('removes what was dropped bit by bit, and takes none of it for what comes after, even when it was opened anew', async () => {
    const make = () => run({ createIndexes: 'things', indexes: [{ key: { n: 1 }, name: 'n' }] });
    await make();
    await insert(Array.from({ length: 5_000 }, (_, n) => ({ n })));
    await run({ dropIndexes: 'things', index: 'n' });
    await make();
    await run({ drop: 'things' });
    await engine.close();
    engine = new Engine(Store.open(directory.dataFile, false), () => new Date(now));
    await make();
    await insert([{ n: 7 }]);
    expect(await count()).toBe(1);
    expect((await run({ distinct: 'things', key: 'n', query: { n: { $gte: 0 } } }))['values']).toEqual([7]);
    const entries = () => [...engine.store.range(Buffer.from([0]), Buffer.from([255]))].length;
    expect(entries()).toBeGreaterThan(10_000);
    await pass(0);
    expect(entries()).toBeLessThan(10);
    expect(verify(engine.store)).toEqual([]);
  });

  it('closes cursors that nobody asks any more', async () => {
    await insert(Array.from({ length: 10 }, (_, n) => ({ n })));
    const open = async () => ((await run({ find: 'things', batchSize: 2 }))['cursor'] as { id: Long }).id;
    const [used, idle] = [await open(), await open()];
    const more = (getMore: Long) => run({ getMore, collection: 'things', batchSize: 2 });
    await pass(CURSOR_IDLE_MS - 1);
    expect(await more(used)).toMatchObject({ ok: 1 });
    await pass(2);
    expect(await more(used)).toMatchObject({ ok: 1 });
    expect(await more(idle)).toMatchObject({ ok: 0, code: 43 });
  });

  it('aborts transactions that stay open', async () => {
    const transaction = newTransaction();
    await insert([{ a: 1 }], { ...transaction, startTransaction: true });
    await pass(TRANSACTION_LIFETIME_MS);
    expect(await insert([{ a: 2 }], transaction)).toMatchObject({ ok: 1 });
    await pass(1);
    const late = await insert([{ a: 3 }], transaction);
    expect(late).toMatchObject({ ok: 0, code: 251, errorLabels: ['TransientTransactionError'] });
    expect(await run({ commitTransaction: 1, ...transaction })).toMatchObject({ ok: 0, code: 251 });
    expect(await count()).toBe(0);
  });

  it('lets a write wait a moment for a transaction that wrote the same, then it is done instead', async () => {
    await insert([{ n: 0 }]);
    const transaction = newTransaction();
    const updates = (n: number) => [{ q: {}, u: { $inc: { n } } }];
    await run({ update: 'things', updates: updates(1), ...transaction, startTransaction: true });
    const write = run({ update: 'things', updates: updates(10) });
    expect(await Promise.race([write, pause(500, 'waits')])).toBe('waits');
    expect(await insert([{ n: 0 }])).toMatchObject({ ok: 1 });
    expect(await write).toMatchObject({ nModified: 1 });
    const commit = await run({ commitTransaction: 1, ...transaction });
    expect(commit).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
    expect(await run({ distinct: 'things', key: 'n' })).toMatchObject({ values: [0, 10] });
    expect(verify(engine.store)).toEqual([]);
  });

  it('does at once what came together with the commit', async () => {
    await insert([{ n: 0 }]);
    const transaction = newTransaction();
    const update = (more: Document = {}) =>
      run({ update: 'things', updates: [{ q: {}, u: { $inc: { n: 1 } } }], ...more });
    await update({ ...transaction, startTransaction: true });
    const commit = run({ commitTransaction: 1, ...transaction });
    expect(await Promise.race([update(), pause(1_000, 'waits')])).toMatchObject({ nModified: 1 });
    expect(await commit).toMatchObject({ ok: 1 });
    expect(await run({ distinct: 'things', key: 'n' })).toMatchObject({ values: [2] });
  });

  it('does what waits for a transaction when that is too old, and when it closes', async () => {
    const transaction = newTransaction();
    const write = async () => {
      await insert([{ _id: 1 }], { ...transaction, startTransaction: true });
      return insert([{ _id: 1 }]);
    };
    const first = write();
    await pause(50);
    await pass(TRANSACTION_LIFETIME_MS + 1);
    expect(await first).toMatchObject({ n: 1 });
    await run({ delete: 'things', deletes: [{ q: {}, limit: 0 }] });
    const second = write();
    await pause(50);
    await engine.close();
    expect(await second).toMatchObject({ n: 1 });
    engine = new Engine(Store.open(directory.dataFile, false), () => new Date(now));
    expect(await count()).toBe(1);
  });

  it('ends what a session had open when the session ends', async () => {
    const lsid = { id: new UUID() };
    await insert([{ n: 1 }, { n: 2 }]);
    const { cursor } = await run({ find: 'things', batchSize: 1, lsid });
    await insert([{ n: 3 }], { lsid, txnNumber: Long.fromNumber(1), autocommit: false, startTransaction: true });
    await run({ endSessions: [lsid] });
    expect(await run({ getMore: (cursor as { id: Long }).id, collection: 'things' })).toMatchObject({ code: 43 });
    expect(await run({ commitTransaction: 1, lsid, txnNumber: Long.fromNumber(1), autocommit: false })).toMatchObject({
      code: 251,
    });
  });

  it('lists the sessions it knows, until they end or are forgotten', async () => {
    const [ended, idle] = [{ id: new UUID() }, { id: new UUID() }];
    for (const lsid of [ended, idle]) await run({ ping: 1, lsid });
    const listed = async () => {
      const { cursor } = await run({ aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} });
      return (cursor as { firstBatch: Document[] }).firstBatch.map(({ _id: { id } }) => String(id.toUUID()));
    };
    expect(await listed()).toEqual([ended, idle].map(({ id }) => String(id)));
    await run({ endSessions: [ended] });
    expect(await listed()).toEqual([String(idle.id)]);
    await pass(SESSION_LIFETIME_MS + 1);
    expect(await listed()).toEqual([]);
  });

  it('has no other documents without a collection', async () => {
    expect(await run({ aggregate: 1, pipeline: [{ $match: {} }], cursor: {} })).toMatchObject({ code: 73 });
    const { errmsg } = await run({ aggregate: 1, pipeline: [{ $currentOp: {} }], cursor: {} });
    expect(errmsg).toContain('use MongoDB');
  });

  it('fails commands on demand, as often as asked', async () => {
    const data = { failCommands: ['insert'], errorCode: 8, errorLabels: ['RetryableWriteError'] };
    await run({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    expect(await run({ ping: 1 })).toEqual({ ok: 1 });
    expect(await insert([{ a: 1 }])).toMatchObject({ ok: 0, code: 8, errorLabels: ['RetryableWriteError'] });
    expect(await insert([{ a: 1 }])).toMatchObject({ ok: 1 });
    expect(await count()).toBe(1);
  });

  it('does a retryable write once, and no write that the session has left behind', async () => {
    const lsid = { id: new UUID() };
    const write = (n: number) => insert([{ n }], { lsid, txnNumber: Long.fromNumber(n) });
    expect(await write(1)).toEqual({ n: 1, ok: 1 });
    expect(await write(1)).toEqual({ n: 1, ok: 1 });
    expect(await write(2)).toEqual({ n: 1, ok: 1 });
    expect(await write(1)).toMatchObject({ code: 225 });
    expect(await count()).toBe(2);
  });

  it('commits twice when asked twice', async () => {
    const transaction = newTransaction();
    await insert([{ a: 1 }], { ...transaction, startTransaction: true });
    expect(await run({ commitTransaction: 1, ...transaction })).toEqual({ ok: 1 });
    expect(await run({ commitTransaction: 1, ...transaction })).toEqual({ ok: 1 });
    expect(await count()).toBe(1);
  });

  it('forgets a collection whose creation failed before the next writer comes', async () => {
    const replies = await Promise.all([
      run({ insert: 'other', documents: [{ a: 1 }] }),
      run({ insert: 'things', documents: 'none' }),
      insert([{ a: 1 }]),
      run({ insert: 'other', documents: [{ a: 2 }] }),
    ]);
    expect(replies.map(({ ok }) => ok)).toEqual([1, 0, 1, 1]);
    const stored = new Catalogue(engine.store).all().map(({ namespace, id }) => [namespace, id]);
    const known = engine.catalogue.all().map(({ namespace, id }) => [namespace, id]);
    expect(stored).toEqual(known);
    expect(stored).toHaveLength(2);
    expect(await count()).toBe(1);
    expect((await run({ count: 'other' }))['n']).toBe(2);
    expect(verify(engine.store)).toEqual([]);
  });

  it('refuses to commit a transaction into a collection that was dropped and made anew', async () => {
    const transaction = newTransaction();
    await insert([{ a: 1 }], { ...transaction, startTransaction: true });
    await run({ drop: 'things' });
    await insert([{ a: 2 }]);
    expect(await run({ commitTransaction: 1, ...transaction })).toMatchObject({ code: 112 });
    expect(await count()).toBe(1);
    expect(verify(engine.store)).toEqual([]);
  });

  it('refuses to commit a transaction over an index that came after its first read', async () => {
    await insert([{ a: 1 }]);
    const transaction = newTransaction();
    await insert([{ a: 1 }], { ...transaction, startTransaction: true });
    await run({ createIndexes: 'things', indexes: [{ key: { a: 1 }, name: 'a', unique: true }] });
    const commit = await run({ commitTransaction: 1, ...transaction });
    expect(commit).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
    expect(verify(engine.store)).toEqual([]);
  });

  it('reads on, whatever the number of transactions that stay open', async () => {
    await insert([{ _id: 0 }]);
    const replies: Document[] = [];
    for (let n = 0; n <= MOST_SNAPSHOTS; n++) {
      const transaction = newTransaction();
      replies.push(await run({ find: 'things', ...transaction, startTransaction: true }));
      // Otherwise they would share a snapshot.
      await run({ update: 'things', updates: [{ q: {}, u: { $inc: { n: 1 } } }] });
    }
    expect(replies.at(-2)).toMatchObject({ ok: 1 });
    expect(replies.at(-1)).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
    expect(await run({ find: 'things' })).toMatchObject({ cursor: { firstBatch: [{ n: MOST_SNAPSHOTS + 1 }] } });
    await pass(TRANSACTION_LIFETIME_MS + 1);
  });

  it('keeps what is not yet committed in order, however writes and looks take turns', () => {
    const view = new Overlay(engine.store);
    const expected = new Map<number, boolean>();
    for (let step = 0; step < 1000; step++) {
      const [key, isDeleted] = [(step * 7919) % 613, step % 5 === 0];
      expected.set(key, !isDeleted);
      if (isDeleted) view.del(number(key));
      else view.put(number(key), number(step));
      if (step % 3 !== 0 || (step > 200 && step < 500)) continue;
      const found = [...view.range(number(0), number(1000))].map((entry) => numberOf(entry.key));
      const kept = [...expected].filter(([, isThere]) => isThere).map(([kept]) => kept);
      expect(found).toEqual(kept.sort((a, b) => a - b));
    }
  });

  it('takes a bulk of thousands of upserts in seconds', async () => {
    await run({ createIndexes: 'things', indexes: [{ key: { k: 1 }, name: 'k' }] });
    const updates = Array.from({ length: 5_000 }, (_, k) => ({ q: { k }, u: { $set: { n: k } }, upsert: true }));
    expect(await run({ update: 'things', updates })).toMatchObject({ n: 5_000 });
    expect(verify(engine.store)).toEqual([]);
  }, 15_000);

  it('changes a document with thousands of indexed elements at once', async () => {
    await run({ createIndexes: 'things', indexes: [{ key: { tags: 1 }, name: 'tags' }] });
    await insert([{ tags: Array.from({ length: 15_000 }, (_, n) => `tag ${n}`) }]);
    const u = { $push: { tags: 'new' }, $pull: { other: 1 } };
    expect(await run({ update: 'things', updates: [{ q: {}, u }] })).toMatchObject({ nModified: 1 });
    expect(verify(engine.store)).toEqual([]);
  }, 5_000);
});
