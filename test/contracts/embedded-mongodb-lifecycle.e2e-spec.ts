import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import mongoose from 'mongoose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startEmbeddedMongodb } from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { Store } from '../../src/infrastructure/database/embedded-mongodb/storage/store.js';
import { compileEmbeddedMongodb } from './embedded-mongodb-compiled.js';
import { RawConnection, socketPathOf } from './embedded-mongodb-wire.js';

const { MongoClient } = mongoose.mongo;

describe('An embedded store', () => {
  let directory: string;

  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'embedded-mongodb-test-')), 'data');
  });

  afterEach(() => rmSync(dirname(directory), { recursive: true, force: true }));

  async function write(uri: string, n: number): Promise<void> {
    const client = await MongoClient.connect(uri);
    const many = Array.from({ length: n }, (_, i) => ({ i, text: 'x'.repeat(200) }));
    await client.db('test').collection('things').insertMany(many);
    await client.close();
  }

  async function count(uri: string): Promise<number> {
    const client = await MongoClient.connect(uri);
    const found = await client.db('test').collection('things').countDocuments();
    await client.close();
    return found;
  }

  it('keeps its documents from one start to the next', async () => {
    const first = await startEmbeddedMongodb({ directory });
    await write(first.uri, 10);
    await first.close();
    const second = await startEmbeddedMongodb({ directory });
    expect(await count(second.uri)).toBe(10);
    await second.close();
  });

  it('forgets everything without a directory', async () => {
    const store = await startEmbeddedMongodb();
    const socket = socketPathOf(store.uri);
    expect(statSync(dirname(socket)).isDirectory()).toBe(true);
    await store.close();
    expect(() => statSync(dirname(socket))).toThrow('ENOENT');
  });

  it('can be closed twice, and started many times', async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on('warning', listener);
    const stores = await Promise.all(Array.from({ length: 12 }, () => startEmbeddedMongodb()));
    await Promise.all([...stores, ...stores].map((store) => store.close()));
    process.off('warning', listener);
    expect(warnings).toEqual([]);
  });

  it('lets nobody else in', async () => {
    for (const options of [{ directory }, {}]) {
      const store = await startEmbeddedMongodb(options);
      const socket = socketPathOf(store.uri);
      expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
      expect(statSync(socket).mode & 0o777).toBe(0o600);
      await store.close();
    }
  });

  it('is attached to where it already runs, by everybody who comes later', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => startEmbeddedMongodb({ directory })));
    expect(stores.map(({ attached }) => attached).sort()).toEqual([false, true, true]);
    await write(stores[0]?.uri ?? '', 5);
    expect(await count(stores[2]?.uri ?? '')).toBe(5);
    await Promise.all(stores.filter(({ attached }) => attached).map((store) => store.close()));
    expect(await count(stores.find(({ attached }) => !attached)?.uri ?? '')).toBe(5);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('is handed over to whoever waits for its end, socket and all', async () => {
    const first = await startEmbeddedMongodb({ directory });
    await write(first.uri, 3);
    const { close } = Store.prototype;
    let next: Awaited<ReturnType<typeof startEmbeddedMongodb>> | undefined;
    vi.spyOn(Store.prototype, 'close').mockImplementationOnce(async function (this: Store) {
      await close.call(this);
      next = await startEmbeddedMongodb({ directory });
    });
    await first.close();
    expect(next?.attached).toBe(false);
    expect(await count(next?.uri ?? '')).toBe(3);
    await next?.close();
  });

  it('closes though somebody is connected who has nothing to say', async () => {
    const store = await startEmbeddedMongodb({ directory });
    const connection = await RawConnection.open(store.uri);
    expect(await connection.command({ ping: 1, $db: 'admin' })).toMatchObject({ ok: 1 });
    const closed = once(connection.socket, 'close');
    connection.socket.resume();
    await store.close();
    await closed;
  });

  it('works in a directory whose path is too long for a socket', async () => {
    const long = join(directory, 'd'.repeat(120));
    const store = await startEmbeddedMongodb({ directory: long });
    await write(store.uri, 1);
    expect(await count(store.uri)).toBe(1);
    await store.close();
    rmSync(dirname(socketPathOf(store.uri)), { recursive: true });
  });

  it('refuses what is not a directory', async () => {
    writeFileSync(directory, 'a file');
    await expect(startEmbeddedMongodb({ directory })).rejects.toThrow(/^The directory .* cannot be used/);
    await expect(startEmbeddedMongodb({ directory: join(directory, 'inside') })).rejects.toThrow(
      /^The directory .* cannot be used/,
    );
  });

  it.each([
    ['below a file', (inside: string) => (writeFileSync(inside, ''), join(inside, 'a', 'b'))],
    ['below a link to itself', (inside: string) => (symlinkSync(inside, inside), join(inside, 'a', 'b'))],
    [
      'below a link to nowhere',
      (inside: string) => (symlinkSync(join(inside, '..', 'gone'), inside), join(inside, 'a')),
    ],
    ['where the system lets nobody create one', () => '/proc/nowhere/a'],
    ['with a name that is too long', (inside: string) => join(inside, 'a'.repeat(300))],
    ['with a zero byte in it', (inside: string) => `${inside}\0`],
  ])('refuses at once a directory %s', async (_where, prepare) => {
    await expect(startEmbeddedMongodb({ directory: prepare(directory) })).rejects.toThrow(
      /^The directory .* cannot be used for the embedded store: .+$/,
    );
  });

  it('has no fail points where documents are to last', async () => {
    const store = await startEmbeddedMongodb({ directory });
    const client = await MongoClient.connect(store.uri);
    const command = { configureFailPoint: 'failCommand', mode: 'alwaysOn', data: { failCommands: ['ping'] } };
    await expect(client.db('admin').command(command)).rejects.toThrow('use MongoDB for it');
    await client.close();
    await store.close();
  });

  it('refuses a directory that others can enter and that holds other files', async () => {
    mkdirSync(directory, { mode: 0o755 });
    writeFileSync(join(directory, 'notes.txt'), '');
    await expect(startEmbeddedMongodb({ directory })).rejects.toThrow(/other users can enter it/);
    expect(statSync(directory).mode & 0o777).toBe(0o755);
  });

  it.each([
    ['is something else', (file: string) => writeFileSync(file, Buffer.alloc(20_000, 7))],
    ['was cut in half', (file: string) => truncateSync(file, 4096 * Math.floor(statSync(file).size / 8192))],
    [
      'is scrambled',
      (file: string) =>
        writeFileSync(
          file,
          readFileSync(file).map((byte, i) => (i < 8192 ? byte : byte ^ 0xa5)),
        ),
    ],
  ])('says so when its data file %s', async (_damage, damage) => {
    const store = await startEmbeddedMongodb({ directory });
    await write(store.uri, 3000);
    await store.close();
    damage(join(directory, 'data.mdb'));
    await expect(startEmbeddedMongodb({ directory })).rejects.toThrow(
      /^The data of the embedded store .* cannot be opened: .*$/,
    );
  });

  /** Runs a script, as often as asked, that works with the compiled store. */
  function runs(writeScript: (entry: string) => string, times: number): SpawnSyncReturns<string>[] {
    const compiled = compileEmbeddedMongodb();
    const cwd = dirname(compiled.entry);
    const file = join(cwd, 'script.mjs');
    writeFileSync(file, writeScript(compiled.entry));
    const options = { cwd, encoding: 'utf8', timeout: 20_000, killSignal: 'SIGQUIT' } as const;
    const all = Array.from({ length: times }, () => spawnSync(process.execPath, [file], options));
    compiled.remove();
    return all.map((run) => ({ ...run, stdout: run.stdout.trim().replaceAll(compiled.entry, 'ENTRY') }));
  }

  /** @returns the lines that a script printed which works with the compiled store */
  function run(writeScript: (entry: string) => string): string[] {
    const [{ stdout, stderr, status }] = runs(writeScript, 1) as [SpawnSyncReturns<string>];
    expect(stderr).toBe('');
    expect(status).toBe(0);
    return stdout.split('\n');
  }

  it('listens on a named pipe where the system says that it is Windows', () => {
    const lines = run(
      (entry) => `
      const { default: mongoose } = await import('mongoose');
      // Its binary is of the system that it is.
      await import('lmdb');
      Object.defineProperty(process, 'platform', { value: 'win32' });
      const { startEmbeddedMongodb } = await import(${JSON.stringify(entry)});
      for (const directory of [${JSON.stringify(directory)}, undefined]) {
        const store = await startEmbeddedMongodb({ directory });
        const client = await mongoose.mongo.MongoClient.connect(store.uri);
        await client.db('test').collection('things').insertOne({ a: 1 });
        console.log(decodeURIComponent(store.uri).replace(/[0-9a-f]{24}/, 'ID'), await client.db('test').collection('things').countDocuments());
        if (directory) console.log((await startEmbeddedMongodb({ directory })).attached);
        await client.close();
        await store.close();
      }`,
    );
    const options = 'directConnection=true&heartbeatFrequencyMS=500&minHeartbeatFrequencyMS=1000';
    const uri = `mongodb://\\\\.\\pipe\\embedded-ID-mongodb.sock/?${options}`;
    expect(lines).toEqual([`${uri} 1`, 'true', `${uri} 1`]);
  });

  it('runs in a worker thread', () => {
    const lines = run(
      (entry) => `
      const { startEmbeddedMongodb } = await import(${JSON.stringify(entry)});
      const { default: mongoose } = await import('mongoose');
      const options = { workerThread: true, directory: ${JSON.stringify(directory)} };
      const store = await startEmbeddedMongodb(options);
      const client = await mongoose.mongo.MongoClient.connect(store.uri);
      await client.db('test').collection('things').insertOne({ a: 1 });
      console.log(await client.db('test').collection('things').countDocuments(), (await startEmbeddedMongodb(options)).attached);
      await client.close();
      await store.close();
      const failure = await startEmbeddedMongodb({ workerThread: true, directory: ${JSON.stringify(entry)} }).catch((error) => error);
      console.log(failure.message.split(' cannot')[0]);
      const temporary = await startEmbeddedMongodb({ workerThread: true });
      await temporary.close();`,
    );
    expect(lines).toEqual(['1 true', 'The directory ENTRY']);
  });

  describe('in a worker thread, when its process ends while a transaction runs', () => {
    /** @param write what keeps the thread in transactions. @param end how the process ends, a moment later */
    const script = (write: string, end: string) => (entry: string) => `
      const { startEmbeddedMongodb } = await import(${JSON.stringify(entry)});
      const { default: mongoose } = await import('mongoose');
      const store = await startEmbeddedMongodb({ workerThread: true, directory: ${JSON.stringify(directory)} });
      const client = await mongoose.mongo.MongoClient.connect(store.uri);
      const things = client.db('test').collection('things');
      await things.insertOne({ text: '${'a'.repeat(40)}b' });
      void (async () => { for (;;) await ${write} })();
      setTimeout(() => { ${end} }, 150 + 100 * Math.random());`;
    const INSERT = 'things.insertMany(Array.from({ length: 5_000 }, (_, i) => ({ i })))';

    it.each([
      ['that was told to', 'process.exit(3)', 3],
      ['that failed', "throw new Error('failed')", 1],
    ])('lets end one %s', (_, end, status) => {
      expect(runs(script(INSERT, end), 6).map((run) => run.status)).toEqual(Array(6).fill(status));
    });

    it.each([
      ['that was told to', 'process.exit(3)', /^The process is killed: a write/m],
      ['that failed', "throw new Error('failed')", /Error: failed\n[^]*The process is killed: a write/],
    ])('has one %s killed when the transaction has no end, and says what ended it', (_, end, said) => {
      const update = 'things.updateMany({ text: /^(a+)+$/ }, { $set: { a: 1 } })';
      const [run] = runs(script(update, end), 1) as [SpawnSyncReturns<string>];
      expect(run.signal).toBe('SIGKILL');
      expect(run.stderr).toMatch(said);
    });
  });
});
