import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verify } from './embedded-mongodb-verify.js';
import { Store } from '../../src/infrastructure/database/embedded-mongodb/storage/store.js';
import { compileEmbeddedMongodb, type CompiledStore } from './embedded-mongodb-compiled.js';
import { RawConnection } from './embedded-mongodb-wire.js';

const CYCLES = 20;
const WRITERS = 8;
/** Acknowledged writes after which the server is killed: 60 at least, and another number in every cycle. */
const WRITES_PER_CYCLE = 60;

const { MongoClient, Long } = mongoose.mongo;
type Client = InstanceType<typeof MongoClient>;

describe('A store whose process is killed', () => {
  let compiled: CompiledStore;
  let directory: string;

  beforeAll(() => {
    compiled = compileEmbeddedMongodb();
    directory = mkdtempSync(join(tmpdir(), 'embedded-mongodb-crash-'));
  });

  afterAll(async () => {
    // A test that failed leaves its own behind.
    await Promise.all([...running].map((server) => kill(server)));
    compiled.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The next process loads its code while the one before it still works. */
  let prepared: ChildProcess | undefined;
  const running = new Set<ChildProcess>();

  function prepare(): ChildProcess {
    const script = `
      const { startEmbeddedMongodb } = await import(${JSON.stringify(compiled.entry)});
      process.stdin.once('data', async () => {
        const store = await startEmbeddedMongodb({ directory: ${JSON.stringify(directory)} });
        process.once('SIGTERM', () => store.close().then(() => process.exit()));
        console.log(store.uri);
      });`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.add(server);
    server.once('exit', () => running.delete(server));
    return server;
  }

  async function start(): Promise<{ server: ChildProcess; client: Client; uri: string }> {
    const server = prepared ?? prepare();
    prepared = prepare();
    server.stdin?.write('start\n');
    const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const uri = line.toString().trim();
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 100, retryWrites: false });
    await client.connect();
    return { server, client, uri };
  }

  async function kill(server: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  function problems(): string[] {
    const store = Store.open(join(directory, 'data.mdb'), false);
    try {
      return verify(store);
    } finally {
      void store.close();
    }
  }

  it(
    `loses nothing acknowledged and breaks no index in ${CYCLES} cycles under ${WRITERS} writers`,
    { timeout: 50_000 },
    async () => {
      const inserted: string[] = [];
      const counted = Array.from({ length: WRITERS }, () => ({ acknowledged: 0, tried: 0 }));
      for (let cycle = 0; cycle < CYCLES; cycle++) {
        const { server, client } = await start();
        const db = client.db('crash');
        if (cycle === 0) {
          await db
            .collection('items')
            .createIndexes([
              { key: { email: 1 }, unique: true },
              { key: { tags: 1, writer: -1 } },
              { key: { at: 1 }, expireAfterSeconds: 1e6 },
            ]);
          await db.collection<{ _id: string; n: number }>('accounts').insertMany([
            { _id: 'a', n: 1000 },
            { _id: 'b', n: 1000 },
          ]);
        }
        let acknowledged = 0;
        const limit = WRITES_PER_CYCLE + Math.floor(Math.random() * WRITES_PER_CYCLE);
        const acknowledge = (): void => {
          if (++acknowledged === limit) server.kill('SIGKILL');
        };
        const ended = once(server, 'exit');
        await Promise.all(counted.map((counter, writer) => write(client, writer, counter, inserted, acknowledge)));
        await ended;
        await client.close();
        expect(problems()).toEqual([]);
      }
      const { server, client } = await start();
      const db = client.db('crash');
      const found = new Set(await db.collection<{ _id: string }>('items').distinct('_id'));
      expect(inserted.filter((id) => !found.has(id))).toEqual([]);
      for (const [writer, { acknowledged, tried }] of counted.entries()) {
        const { n } = (await db.collection<{ _id: number; n: number }>('counters').findOne({ _id: writer })) ?? {
          n: 0,
        };
        expect(n).toBeGreaterThanOrEqual(acknowledged);
        expect(n).toBeLessThanOrEqual(tried);
      }
      const accounts = await db.collection('accounts').find().toArray();
      expect(accounts.map(({ n }) => n as number).reduce((sum, n) => sum + n, 0)).toBe(2000);
      expect(inserted.length).toBeGreaterThan((CYCLES * WRITES_PER_CYCLE) / 4);
      await client.close();
      await kill(server);
    },
  );

  /** Writes until the server is gone. */
  async function write(
    client: Client,
    writer: number,
    counter: { acknowledged: number; tried: number },
    inserted: string[],
    acknowledge: () => void,
  ): Promise<void> {
    const db = client.db('crash');
    try {
      for (;;) {
        const _id = randomUUID();
        await db.collection<{ _id: string }>('items').insertOne({ _id, ...item(writer) });
        inserted.push(_id);
        acknowledge();
        counter.tried++;
        const increment = { $inc: { n: 1 } };
        await db.collection<{ _id: number }>('counters').updateOne({ _id: writer }, increment, { upsert: true });
        counter.acknowledged++;
        acknowledge();
        await db.collection('items').updateOne({ writer, moved: null }, { $set: { moved: true, tags: ['c'] } });
        await db.collection('items').deleteOne({ writer, tags: 'gone' });
        // One writer alone: two would meet in a write conflict.
        if (writer === 0) await transfer(client, 1);
      }
    } catch (error) {
      expect(`${error}`).toMatch(
        // The second is what the driver itself makes of the first at times: it asks an error of Node's for its labels.
        /^Error: (write EPIPE|read ECONNRESET)|error.hasErrorLabel is not a function$|^Mongo(Network|ServerSelection|PoolCleared|NotConnected|Topology|Client)/,
      );
    }
  }

  function item(writer: number): object {
    return { email: `${randomUUID()}@example.test`, tags: ['a', 'b'], writer, at: new Date() };
  }

  async function transfer(client: Client, amount: number): Promise<void> {
    const accounts = client.db('crash').collection<{ _id: string; n: number }>('accounts');
    await client.withSession(async (session) => {
      session.startTransaction();
      await accounts.updateOne({ _id: 'a' }, { $inc: { n: -amount } }, { session });
      await accounts.updateOne({ _id: 'b' }, { $inc: { n: amount } }, { session });
      await session.commitTransaction();
    });
  }

  it('remembers a retryable write that it did before', async () => {
    const command = {
      update: 'retried',
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }],
      lsid: { id: new mongoose.mongo.UUID() },
      txnNumber: Long.fromNumber(1),
      $db: 'crash',
    };
    const run = async (uri: string) => {
      const connection = await RawConnection.open(uri);
      const reply = await connection.command(command);
      connection.close();
      return reply;
    };
    const first = await start();
    await run(first.uri);
    await kill(first.server);
    await first.client.close();
    const second = await start();
    const again = await run(second.uri);
    expect(again).toMatchObject({ n: 1, upserted: [{ index: 0, _id: 1 }] });
    expect(await second.client.db('crash').collection('retried').find().toArray()).toEqual([{ _id: 1, n: 1 }]);
    await second.client.close();
    await kill(second.server);
  });

  it('is found again by all who were at work when another process took its place', async () => {
    let { server, client, uri } = await start();
    const clients = await Promise.all([1, 2, 3, 4].map(() => MongoClient.connect(uri)));
    const things = clients.map((each) => each.db('crash').collection('things'));
    let isAtWork = true;
    const work = [...things, ...things].map(async (collection) => {
      while (isAtWork) await collection.insertOne({ n: 1 }).catch(() => pause(10));
    });
    for (let change = 0; change < 4; change += 1) {
      // Before that the driver does not ask at once whether the server is there.
      await pause(1_100);
      await client.close();
      await kill(server, 'SIGTERM');
      ({ server, client, uri } = await start());
      const found = things.map((collection) => collection.findOne({}, { timeoutMS: 5_000 }));
      expect((await Promise.all(found)).map((thing) => thing?.n as number)).toEqual([1, 1, 1, 1]);
    }
    isAtWork = false;
    await Promise.all(work);
    await Promise.all([client, ...clients].map((each) => each.close()));
    await kill(server);
  });
});
