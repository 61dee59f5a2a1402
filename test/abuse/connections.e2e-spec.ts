import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection, parseAnswer, untilClosed } from '../support/raw-http.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('A connection', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('is kept while idle for longer than by the load balancers before it, which are told for how long', async () => {
    const socket = await openConnection(test.url);
    const answered = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    const { headers } = parseAnswer((await answered).toString('latin1'));
    expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['keep-alive', 'timeout=65']);
    socket.destroy();
  });

  it('is cut when nothing moves on it for half a minute', async () => {
    const accepted = once(test.app.getHttpServer() as Server, 'connection') as Promise<[Socket]>;
    const socket = await openConnection(test.url);
    const cut = untilClosed(socket);
    const [atServer] = await accepted;
    expect(atServer.timeout).toBe(30_000);
    atServer.emit('timeout');
    expect(await cut).toBe('');
  });

  it('is forgotten when it breaks off before its answer', async () => {
    setFlagsFromString('--expose-gc');
    const clearUp = runInNewContext('gc') as () => void;
    const server = test.app.getHttpServer() as Server;
    const breakOff = async () => {
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const socket = await openConnection(test.url);
      const [atServer] = await accepted;
      const asked = once(server, 'request');
      socket.write('GET /dev/inbox/next?to=nobody@example.com&timeout_seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await asked;
      const closed = once(atServer, 'close');
      socket.destroy();
      await closed;
      return new WeakRef(atServer);
    };
    const connections = [await breakOff(), await breakOff()];
    await expect
      .poll(
        () => {
          clearUp();
          return connections.filter((connection) => connection.deref()).length;
        },
        { timeout: 15_000 },
      )
      .toBe(0);
  });

  it.skipIf(!existsSync('/proc/self/fd'))('keeps no file open when it breaks while files are sent on it', async () => {
    const file = 'swagger-ui-bundle.js';
    const requests = `GET /docs/${file} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(4);
    const isOpen = (descriptor: string) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).endsWith(file);
      } catch {
        return false;
      }
    };
    const openFiles = () => readdirSync('/proc/self/fd').filter(isOpen).length;
    for (let round = 0; round < 20; round += 1) {
      // Reads nothing, so that all but the first wait.
      const socket = await openConnection(test.url);
      socket.pause();
      socket.write(requests);
      await expect.poll(openFiles, { interval: 5 }).toBeGreaterThan(1);
      socket.destroy();
    }
    await expect.poll(openFiles).toBe(0);
  });

  it('is let go of by a service that closes once all that was sent ahead on it is answered', async () => {
    const closing = await startTestApp();
    const socket = await openConnection(closing.url);
    const answered = untilClosed(socket);
    const server = closing.app.getHttpServer() as Server;
    const login = '{"login":"nobody_here","password":"Abcdef1@"}';
    const request = `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${login.length}\r\n\r\n`;
    let seen = 0;
    const arrived = new Promise<void>((resolve) => server.on('request', () => (seen += 1) === 3 && resolve()));
    socket.write(`${request}${login}`.repeat(3));
    await arrived;
    const closed = closing.close();
    expect((await answered).match(/HTTP\/1\.1 \d{3}/g)).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 401'));
    await closed;
  }, 10_000);
});
