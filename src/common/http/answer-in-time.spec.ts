import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { answerInTime } from './answer-in-time.js';
import { createBoundedServer } from './bounded-server.js';

const CONNECTIONS = 20;
const GET = 'GET / HTTP/1.1\r\nHost: accounts\r\n\r\n';

describe('Requests whose connection breaks before they are answered', () => {
  it('leave nothing behind', async () => {
    const server = fastify({ serverFactory: (handle) => createBoundedServer(handle as never, 10_000) });
    const requests: WeakRef<object>[] = [];
    answerInTime(server);
    server.get('/', async (request) => {
      requests.push(new WeakRef(request));
      await pause(100);
      return 'late';
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    for (let i = 0; i < CONNECTIONS; i += 1) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(GET.repeat(4));
      await pause(20);
      socket.resetAndDestroy();
    }
    await pause(5_000);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    await pause(0);
    collect();
    expect(requests).toHaveLength(4 * CONNECTIONS);
    // The last may still be named by the machine's registers.
    expect(requests.filter((request) => request.deref()).length).toBeLessThanOrEqual(4);
    await server.close();
  }, 20_000);
});
