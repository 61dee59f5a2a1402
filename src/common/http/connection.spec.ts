import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createBoundedServer } from './bounded-server.js';

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
