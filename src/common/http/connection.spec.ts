import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createBoundedServer } from './bounded-server.js';
import { connectionOf } from './connection.js';

it('counts the answers to requests whose socket a proxy within the service has taken', async () => {
  const server = createBoundedServer((request, response) => {
    // As undici does with a request that it was given to send on.
    (request as { socket: unknown }).socket = null;
    response.end('forwarded');
  }, 10_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // More than may wait for their answers on one connection.
  for (let i = 0; i < 6; i += 1) {
    const request = get({ host: '127.0.0.1', port, agent });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect(await text(answer)).toBe('forwarded');
    expect(request.reusedSocket).toBe(i > 0);
  }
  agent.destroy();
  server.close();
});

it('closes every response when the connection breaks, also those queued behind the one that is written', async () => {
  const closed: string[] = [];
  let begun = 0;
  const server = createBoundedServer(({ url = '' }, response) => {
    begun += 1;
    response.on('close', () => closed.push(url));
    response.write('begun');
  }, 10_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  for (const path of ['/1', '/2', '/3']) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(() => begun).toBe(3);
  socket.destroy();
  await expect.poll(() => closed).toEqual(['/1', '/2', '/3']);
  server.close();
});

it('forgets a request once it is answered: an idle connection holds no password', async () => {
  const server = createBoundedServer((request, response) => {
    request.resume().on('end', () => response.end('answer'));
  }, 10_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const connection = connectionOf((await accepted)[0]);
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\npass');
  await expect.poll(() => connection?.last?.req.url).toBe('/');
  socket.write('word');
  await once(socket, 'data');
  await expect.poll(() => connection?.last).toBeNull();
  socket.destroy();
  server.close();
});
