import { once } from 'node:events';
import { connect } from 'node:net';
import { Long, serialize, UUID } from 'bson';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { frameOf, RawConnection, socketPathOf } from './embedded-mongodb-wire.js';
import { errorOf, storeSuite } from './embedded-mongodb-store.js';

describe('The embedded store under attack', () => {
  const suite = storeSuite();

  /** Resolves when the server closes the connection or has answered the ping sent behind the bytes. */
  async function send(bytes: Buffer): Promise<void> {
    const socket = connect(socketPathOf(suite.store.uri));
    socket.on('error', () => undefined);
    socket.write(bytes);
    socket.end(frameOf({ ping: 1, $db: 'admin' }));
    socket.resume();
    await once(socket, 'close');
  }

  async function expectAlive(): Promise<void> {
    expect(await suite.client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  }

  function frame(opCode: number, content: Buffer, length = content.length + 16): Buffer {
    const header = Buffer.alloc(16);
    header.writeInt32LE(length, 0);
    header.writeInt32LE(opCode, 12);
    return Buffer.concat([header, content]);
  }

  function nested(depth: number): Buffer {
    let document = Buffer.from([5, 0, 0, 0, 0]);
    for (let i = 0; i < depth; i++) {
      const length = Buffer.alloc(4);
      length.writeInt32LE(document.length + 8);
      document = Buffer.concat([length, Buffer.from('\x03a\0'), document, Buffer.alloc(1)]);
    }
    return document;
  }

  it('survives frames that lie about their length or their kind', async () => {
    const ping = frameOf({ ping: 1, $db: 'admin' });
    const cut = Buffer.from(ping);
    cut.writeInt32LE(1000, 21);
    const broken = [
      frame(2013, Buffer.alloc(0)),
      frame(2013, Buffer.alloc(4)),
      frame(2013, Buffer.alloc(100, 0xff)),
      frame(2012, Buffer.alloc(20)),
      frame(2004, Buffer.alloc(3)),
      frame(2004, Buffer.from('\0\0\0\0no terminator')),
      frame(1, Buffer.alloc(20)),
      frame(2013, Buffer.alloc(10), -1),
      frame(2013, Buffer.alloc(10), 0x7fffffff),
      frame(2013, Buffer.alloc(10), 3),
      frame(2013, Buffer.concat([Buffer.from([0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(20)])),
      frame(2013, Buffer.concat([Buffer.from([0, 0, 0, 0, 0]), nested(3000)])),
      cut,
      ping.subarray(0, 30),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    ];
    for (const bytes of broken) await send(bytes);
    await expectAlive();
  });

  it('survives a thousand randomly damaged commands', async () => {
    await suite.things().insertOne({ a: 1 });
    const commands = [
      frameOf({ find: 'things', filter: { a: { $gt: 0, $in: [1, 2] } }, sort: { a: 1 }, $db: 'test' }),
      frameOf({ insert: 'things', documents: [{ _id: 1, a: new Date(), b: /x/i }], $db: 'test' }),
      frameOf({
        update: 'things',
        updates: [{ q: { a: 1 }, u: { $set: { 'b.c': [1, 2] } }, upsert: true }],
        $db: 'test',
      }),
      frameOf({ aggregate: 'things', pipeline: [{ $group: { _id: '$a' } }], cursor: {}, $db: 'test' }),
    ];
    let state = 1;
    const next = (limit: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % limit;
    };
    for (let n = 0; n < 50; n++) {
      const damaged = Array.from({ length: 20 }, (_, i) => {
        const bytes = Buffer.from(commands[(n + i) % commands.length] as Buffer);
        for (let k = 0; k <= next(4); k++) bytes[16 + next(bytes.length - 16)] = next(256);
        return bytes;
      });
      await Promise.all(damaged.map(send));
    }
    await expectAlive();
  });

  it('understands frames that come byte by byte or several at once', async () => {
    const connection = await RawConnection.open(suite.store.uri);
    const ping = frameOf({ ping: 1, $db: 'admin' });
    let bytes = 0;
    const answered = new Promise<void>((resolve) => {
      connection.socket.on('data', (data: Buffer) => {
        bytes += data.length;
        if (bytes === 4 * (21 + serialize({ ok: 1 }).length)) resolve();
      });
    });
    for (const byte of ping) connection.socket.write(Buffer.of(byte));
    connection.socket.write(Buffer.concat([ping, ping, ping.subarray(0, 10)]));
    connection.socket.write(ping.subarray(10));
    await answered;
    connection.close();
  });

  it('gives up the transaction of a connection that breaks: what it wrote is free again', async () => {
    await suite.things().insertOne({ _id: 1 } as never);
    const begin = (connection: RawConnection) =>
      connection.command({
        update: 'things',
        updates: [{ q: { _id: 1 }, u: { $set: { by: 'somebody' } } }],
        $db: 'test',
        lsid: { id: new UUID() },
        txnNumber: Long.fromNumber(1),
        startTransaction: true,
        autocommit: false,
      });
    const dying = await RawConnection.open(suite.store.uri);
    expect(await begin(dying)).toMatchObject({ ok: 1, nModified: 1 });
    const waiting = await RawConnection.open(suite.store.uri);
    expect(await begin(waiting)).toMatchObject({ ok: 0, code: 112 });
    dying.close();
    await expect.poll(() => begin(waiting)).toMatchObject({ ok: 1, nModified: 1 });
    expect(await suite.things().findOne()).toEqual({ _id: 1 });
    waiting.close();
  });

  it('does not answer what asks for no answer', async () => {
    const connection = await RawConnection.open(suite.store.uri);
    const silent = frameOf({ insert: 'things', documents: [{ a: 1 }], $db: 'test' });
    silent.writeUInt32LE(2, 16);
    connection.socket.write(silent);
    expect(await connection.command({ count: 'things', $db: 'test' })).toEqual({ n: 1, ok: 1 });
    connection.close();
  });

  it('never reaches a prototype', async () => {
    await suite.things().insertOne({ a: 1 });
    for (const change of [
      { $set: { '__proto__.polluted': 1 } },
      { $set: { 'a.__proto__.polluted': 1 } },
      { $rename: { a: '__proto__.polluted' } },
      { $push: { '__proto__.polluted': 1 } },
    ]) {
      expect(await errorOf(suite.things().updateOne({}, change as never))).toMatchObject({ code: 2 });
    }
    await suite.things().updateOne({}, { $set: { 'constructor.prototype.polluted': 1, 'toString.polluted': 1 } });
    await suite.things().insertOne({ ['__proto__']: { polluted: 1 } } as never);
    await suite.things().insertOne(JSON.parse('{"__proto__": {"polluted": 1}, "b": {"__proto__": {"polluted": 1}}}'));
    await suite
      .things()
      .aggregate([{ $set: { c: '$constructor' } }, { $group: { _id: '$b' } }])
      .toArray();
    expect(await suite.things().countDocuments({ 'constructor.name': 'Object' })).toBe(0);
    expect(await suite.things().countDocuments({ 'constructor.prototype.polluted': 1 })).toBe(1);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((Object as never as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('tells apart binary values that look alike as text', async () => {
    const values = [Buffer.from([0xff]), Buffer.from([0xfe])];
    await suite.things().createIndex({ hash: 1 }, { unique: true });
    await suite.things().insertMany(values.map((hash) => ({ hash })));
    expect(await suite.things().countDocuments({ hash: values[0] as Buffer })).toBe(1);
    expect(await suite.things().countDocuments({ $expr: { $eq: ['$hash', values[0]] } })).toBe(1);
    expect(
      await suite
        .things()
        .aggregate([{ $group: { _id: '$hash' } }])
        .toArray(),
    ).toHaveLength(2);
    expect(
      await suite
        .things()
        .aggregate([{ $group: { _id: null, all: { $addToSet: '$hash' } } }])
        .next(),
    ).toMatchObject({
      all: [expect.anything(), expect.anything()],
    });
  });

  it('refuses patterns that JavaScript would read differently', async () => {
    for (const pattern of ['(?i)a', 'a++', '\\Aa', '(?>a)']) {
      expect(await errorOf(suite.things().countDocuments({ a: { $regex: pattern } }))).toMatchObject({ code: 51091 });
    }
  });

  it('keeps readable what an update nests deeper and deeper, until it is refused', async () => {
    await suite.things().insertOne({ _id: 1, n: 0 } as never);
    const deepen = () =>
      suite.things().findOneAndUpdate({ _id: 1 as never }, [{ $set: { before: '$$ROOT', n: { $add: ['$n', 1] } } }], {
        returnDocument: 'after',
      });
    for (let depth = 0; depth < 200; depth++) await deepen();
    expect(await errorOf(deepen())).toMatchObject({ code: 15 });
    expect(await suite.things().findOne()).toMatchObject({ n: 200 });
    expect(await suite.things().countDocuments({ n: 200 })).toBe(1);
    // What was answered is kept for a second attempt, and is deeper than the document.
    expect(await suite.things().findOneAndUpdate({ n: 200 }, { $set: { seen: true } })).toMatchObject({ n: 200 });
    expect(await suite.things().insertOne({ n: -1 })).toMatchObject({ acknowledged: true });
    expect(
      await errorOf(
        suite
          .things()
          .aggregate([{ $project: { deeper: '$$ROOT' } }, { $out: 'out' }])
          .toArray(),
      ),
    ).toMatchObject({
      code: 15,
    });
    expect(await suite.things().deleteOne({ n: 200 })).toMatchObject({ deletedCount: 1 });
  });

  it('names a duplicate of what calls itself a UUID and is none', async () => {
    await suite.things().createIndex({ u: 1 }, { unique: true });
    const u = new mongoose.mongo.Binary(Buffer.from('short'), 4);
    await suite.things().insertOne({ u });
    expect(await errorOf(suite.things().insertOne({ u }))).toMatchObject({ code: 11000 });
  });

  it('says why it takes no document that is nested without end', async () => {
    let deep = {};
    for (let depth = 0; depth < 500; depth++) deep = { deep };
    expect(await errorOf(suite.things().insertOne({ deep }))).toMatchObject({
      message: expect.stringContaining('nested'),
    });
  });

  it('refuses a bad filter even where there is no collection', async () => {
    expect(
      await errorOf(
        suite.client
          .db('test')
          .collection('none')
          .findOne({ a: { $unknown: 1 } }),
      ),
    ).toMatchObject({ code: 2 });
  });

  it('writes all of a command or nothing of it', async () => {
    await suite.things().createIndex({ a: 1 }, { unique: true });
    await suite.things().insertMany([{ a: 1 }, { a: 2 }]);
    expect(await errorOf(suite.things().updateOne({ a: 2 }, { $set: { b: 1, a: 1 } }))).toMatchObject({ code: 11000 });
    expect(await suite.things().countDocuments({ b: 1 })).toBe(0);
    expect(
      await errorOf(
        suite.client
          .db('new')
          .collection('new')
          .insertOne({ _id: [1] as never }),
      ),
    ).toMatchObject({ code: 53 });
    expect(await suite.client.db('new').collection('new').countDocuments()).toBe(0);
  });
});
