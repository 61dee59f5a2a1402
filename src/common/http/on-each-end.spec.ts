import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fastify, type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onEachEnd } from './on-each-end.js';

describe('The end of a request', () => {
  let server: FastifyInstance;
  let told: string[] = [];
  let stream: PassThrough;
  beforeAll(async () => {
    server = fastify();
    onEachEnd(server, ({ url }, status, durationMs) => told.push(`${url} ${status} ${durationMs >= 0}`));
    onEachEnd(server, ({ url }) => told.push(`${url} again`));
    server.get('/answered', () => 'here');
    server.get('/failed', () => Promise.reject(new Error('on purpose')));
    server.get('/given-up', () => new Promise(() => undefined));
    server.get('/streamed', () => (stream = new PassThrough()));
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  beforeEach(() => (told = []));
  afterAll(() => server.close());

  const ask = async (path: string): Promise<Socket> => {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };
  const isTold = (path: string, status: number) =>
    expect.poll(() => told).toEqual([`${path} ${status} true`, `${path} again`]);

  it('is told to every listener, once, with what was answered', async () => {
    for (const [path, status] of [
      ['/answered', 200],
      ['/failed', 500],
      ['/none', 404],
    ] as const) {
      told = [];
      const socket = await ask(path);
      await once(socket, 'data');
      await isTold(path, status);
      socket.destroy();
      // Nor once more for the connection.
      await pause(20);
      expect(told).toHaveLength(2);
    }
  });

  it('is told of each of several on one connection', async () => {
    const socket = await ask('/answered');
    await once(socket, 'data');
    socket.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    await expect.poll(() => told).toHaveLength(4);
    socket.destroy();
  });

  it('is told of what the caller gave up, and of an answer that was cut off while it was sent', async () => {
    const waiting = await ask('/given-up');
    waiting.destroy();
    await isTold('/given-up', 499);
    told = [];
    const streaming = await ask('/streamed');
    await expect.poll(() => stream).toBeDefined();
    stream.write('a part');
    await once(streaming, 'data');
    expect(told).toEqual([]);
    streaming.destroy();
    await isTold('/streamed', 200);
  });
});
