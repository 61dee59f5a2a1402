import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseServer, mongooseOptions } from './database-connection.js';
import type { DriverConnection } from './driver-connection.js';
import { type EmbeddedMongodb, startEmbeddedMongodb } from './embedded-mongodb/index.js';

describe('A connection of the driver', () => {
  let store: EmbeddedMongodb;
  let client: mongo.MongoClient;
  let things: mongo.Collection;
  let connections: number;
  /** What happens to the socket of the next command that is written, just before. */
  let befalls: ((socket: Socket) => void) | undefined;
  beforeEach(async () => {
    connections = 0;
    store = await startEmbeddedMongodb();
    const { connectionType } = mongooseOptions({ uri: store.uri, isEmbedded: true } as DatabaseServer) as unknown as {
      connectionType: typeof DriverConnection;
    };
    class Unlucky extends connectionType {
      constructor(
        private readonly itsSocket: Socket,
        options: object,
      ) {
        super(itsSocket, options);
        connections += 1;
      }
      override writeCommand(...command: Parameters<DriverConnection['writeCommand']>): Promise<void> {
        befalls?.(this.itsSocket);
        befalls = undefined;
        return super.writeCommand(...command);
      }
    }
    const options = {
      connectionType: Unlucky,
      retryReads: false,
      retryWrites: false,
      maxPoolSize: 1,
      // The driver's own commands meet with nothing.
      heartbeatFrequencyMS: 60_000,
    };
    client = await new mongo.MongoClient(store.uri, options).connect();
    things = client.db('test').collection('things');
    // Makes the connection, with commands of its own.
    await things.findOne();
  });
  afterEach(async () => {
    await client.close();
    await store.close();
  });

  it('is used again', async () => {
    for (let n = 0; n < 10; n += 1) await things.insertOne({ n });
    // The driver's watch over the server has one of its own.
    expect(connections).toBe(2);
  });

  it('fails a command when its socket has just ended, of which nobody has been told yet', async () => {
    befalls = (socket) => socket.destroy();
    await expect(things.findOne()).rejects.toThrow(mongo.MongoNetworkError);
    expect(await things.findOne()).toBeNull();
  });

  it('fails a command when its socket ends before it has taken all of it', async () => {
    let holding: Socket | undefined;
    befalls = (socket) => (holding = socket).cork();
    const thing = { text: 'x'.repeat(100_000) };
    const refused = expect(things.insertOne(thing)).rejects.toThrow(mongo.MongoNetworkError);
    while (!holding || holding.writableLength < 100_000) await nextTurn();
    holding.destroy();
    await refused;
    expect(await things.findOne()).toBeNull();
  });
});
