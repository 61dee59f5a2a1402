import { existsSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { OWNER_KEY } from '../../src/infrastructure/database/embedded-mongodb/storage/keys.js';
import { Store } from '../../src/infrastructure/database/embedded-mongodb/storage/store.js';
import { toBytes } from '../../src/infrastructure/database/embedded-mongodb/values/document.js';
import { socketPathOf } from './embedded-mongodb-wire.js';

describe('An embedded store whose directory has an owner', () => {
  let directory: string;

  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'embedded-mongodb-test-')), 'data');
  });

  afterEach(() => rmSync(dirname(directory), { recursive: true, force: true }));

  const ownedBy = (owner: object, at = directory) => {
    const store = Store.open(join(at, 'data.mdb'), true);
    store.writeSync(() => store.put(OWNER_KEY, toBytes({ pid: process.pid, startedAt: 'another time', ...owner })));
    return store.close();
  };
  const OF_THIS_MACHINE = { namespace: existsSync('/proc/self/ns/pid') ? readlinkSync('/proc/self/ns/pid') : '' };
  const OF_A_CONTAINER = { pid: 1, namespace: 'pid:[1]' };

  it('starts after a crash, even of a process that had the same id', async () => {
    const first = await startEmbeddedMongodb({ directory });
    await first.close();
    await ownedBy(OF_THIS_MACHINE);
    writeFileSync(join(directory, 'mongodb.sock'), 'left behind');
    const started = performance.now();
    const second = await startEmbeddedMongodb({ directory });
    expect(second.attached).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_500);
    await second.close();
  });

  it('takes an owner in another container for dead only when it has not answered for two seconds', async () => {
    const first = await startEmbeddedMongodb({ directory });
    await first.close();
    await ownedBy(OF_A_CONTAINER);
    const started = performance.now();
    const second = await startEmbeddedMongodb({ directory });
    expect(performance.now() - started).toBeGreaterThan(1_900);
    expect(second.attached).toBe(false);
    await second.close();
  });

  it('never takes one for dead whom it could not ask, since its socket is elsewhere', { timeout: 30_000 }, async () => {
    const long = join(directory, 'd'.repeat(120));
    const first = await startEmbeddedMongodb({ directory: long });
    await first.close();
    await ownedBy(OF_A_CONTAINER, long);
    await expect(startEmbeddedMongodb({ directory: long })).rejects.toThrow(
      'is locked: process 1 uses it but does not answer; if it died in another container: only a path of at most 87 bytes',
    );
    rmSync(dirname(socketPathOf(first.uri)), { recursive: true });
  });

  it('does not end the claim of a successor, when it was taken for dead', async () => {
    const first = await startEmbeddedMongodb({ directory });
    await ownedBy(OF_A_CONTAINER);
    await first.close();
    const store = Store.open(join(directory, 'data.mdb'), true);
    expect(store.get(OWNER_KEY)?.toString('latin1')).toContain(OF_A_CONTAINER.namespace);
    await store.close();
  });

  it('keeps running until nobody else uses it, if it is to close last', async () => {
    const first = await startEmbeddedMongodb({ directory, closesLast: true });
    const attached = await startEmbeddedMongodb({ directory });
    const closed = first.close();
    await pause(200);
    const client = await new MongoClient(attached.uri).connect();
    await client.db('test').collection('things').insertOne({});
    await client.close();
    await attached.close();
    await closed;
    const next = await startEmbeddedMongodb({ directory });
    expect(next.attached).toBe(false);
    await next.close();
  });

  it('waits as long as it is told for another process to end, and is attached to it after that', async () => {
    const first = await startEmbeddedMongodb({ directory });
    const attached = await startEmbeddedMongodb({ directory, waitForOwnerMs: 200 });
    expect(attached.attached).toBe(true);
    const successor = startEmbeddedMongodb({ directory, waitForOwnerMs: 20_000 });
    await pause(200);
    await first.close();
    expect((await successor).attached).toBe(false);
    await (await successor).close();
  });
});
