import { rmSync } from 'node:fs';
import { Long, UUID, type Document } from 'bson';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dispatch } from '../../src/infrastructure/database/embedded-mongodb/commands/dispatcher.js';
import { temporaryDirectory } from '../../src/infrastructure/database/embedded-mongodb/directory.js';
import { Engine } from '../../src/infrastructure/database/embedded-mongodb/engine/engine.js';
import { verify } from './embedded-mongodb-verify.js';
import { Store } from '../../src/infrastructure/database/embedded-mongodb/storage/store.js';

const disk = vi.hoisted(() => ({ free: Infinity }));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  statfsSync: () => ({ bavail: disk.free, bsize: 1 }),
}));

describe('On a full disk, the embedded store', () => {
  let engine: Engine;
  let directory: ReturnType<typeof temporaryDirectory>;

  beforeEach(() => {
    disk.free = Infinity;
    directory = temporaryDirectory();
    engine = new Engine(Store.open(directory.dataFile, true));
  });

  afterEach(async () => {
    await engine.close();
    rmSync(directory.path, { recursive: true });
  });

  const run = async (command: Document) => dispatch(engine, { ...command, $db: 'test' });
  const insert = (name: string, _id: number) => run({ insert: name, documents: [{ _id }] });

  it('refuses writes, still reads, and goes on once there is room', async () => {
    await insert('things', 1);
    disk.free = 0;
    const refused = await Promise.all([insert('things', 2), insert('new', 1), insert('new', 2)]);
    for (const reply of refused) {
      expect(reply).toMatchObject({ ok: 0, errmsg: 'The disk refused the write: no space left on the device' });
    }
    expect(await run({ count: 'things' })).toMatchObject({ n: 1 });
    expect(engine.catalogue.all().map(({ name }) => name)).toEqual(['things']);
    disk.free = Infinity;
    expect(await insert('things', 2)).toMatchObject({ ok: 1 });
    expect(await insert('new', 1)).toMatchObject({ ok: 1 });
    expect(await run({ count: 'things' })).toMatchObject({ n: 2 });
    expect(verify(engine.store)).toEqual([]);
  });

  it('refuses a transaction that needs a new collection', async () => {
    const transaction = { lsid: { id: new UUID() }, txnNumber: Long.fromNumber(1), autocommit: false };
    const insertNew = { insert: 'new', documents: [{ _id: 1 }], ...transaction, startTransaction: true };
    disk.free = 0;
    expect(await run(insertNew)).toMatchObject({ ok: 0, errmsg: 'no space left on the device' });
    expect(engine.catalogue.all()).toEqual([]);
    disk.free = Infinity;
    expect(await run(insertNew)).toMatchObject({ ok: 1 });
    expect(verify(engine.store)).toEqual([]);
  });

  it('can still be closed', async () => {
    disk.free = 0;
    await expect(engine.close()).resolves.toBeUndefined();
    disk.free = Infinity;
    engine = new Engine(Store.open(directory.dataFile, true));
  });

  it('does not start', () => {
    disk.free = 0;
    expect(() => Store.open(`${directory.path}/other.mdb`, true)).toThrow('no space left on the device');
  });
});
