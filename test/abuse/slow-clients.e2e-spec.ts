import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/invariants.js';
import { openConnection, parseAnswer, untilClosed } from '../support/raw-http.js';
import { PASSWORD } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** In place of the service's ten seconds. Node by itself would leave such a client a minute or more: then these tests time out. */
const REQUEST_TIMEOUT_MS = 300;
const DRIP_MS = 20;
const CLIENTS = 100;
const PATIENCE_MS = 15_000;
/** Who has had nothing by then is told to try again. */
const ANSWER_LIMIT_MS = 5_000;

describe('A client that is slow', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({
      adjust: (config) => ({ ...config, http: { ...config.http, requestTimeoutMs: REQUEST_TIMEOUT_MS } }),
    });
  });
  afterAll(() => test.close());

  /** Sends one byte after the other for ever, after what is sent at once; yields all that comes until it is cut off. */
  const drip = (socket: Socket, atOnce: string): Promise<string> => {
    socket.write(atOnce);
    const timer = setInterval(() => socket.write('x'), DRIP_MS);
    return untilClosed(socket).finally(() => clearInterval(timer));
  };
  const drippers = async (atOnce: string) => {
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openConnection(test.url)));
    return sockets.map((socket) => drip(socket, atOnce));
  };
  const ways: [string, string, path?: string][] = [
    ['drips its headers', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['drips its request line', 'GET /'],
    [
      'drips its body',
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{"login":"',
      '/auth/login',
    ],
  ];
  for (const [what, atOnce, path = '/'] of ways) {
    it(
      `and ${what} is told so and cut off, a hundred of them too, while others are served`,
      async () => {
        const { registration } = await test.personas.confirmed();
        const cut = await drippers(atOnce);
        const { status } = await test
          .client()
          .post('/auth/login', { login: registration.username, password: PASSWORD });
        expect(status).toBe(200);
        for (const text of await Promise.all(cut)) {
          const answer = parseAnswer(text);
          expectRefusal(path, answer, 408);
          expect(answer.body.code).toBe('request_timeout');
        }
      },
      PATIENCE_MS,
    );
  }

  it(
    'and says nothing at all is cut off',
    async () => {
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openConnection(test.url)));
      for (const text of await Promise.all(sockets.map(untilClosed))) expect(text).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
      expect((await test.client().get('/health/live')).status).toBe(200);
    },
    PATIENCE_MS,
  );

  it(
    'and reads late gets what it asked for, in whole: an answer that has begun is not late',
    async () => {
      const path = '/docs/swagger-ui-bundle.js';
      const { length } = (await test.client().get(path)).text;
      const socket = await openConnection(test.url);
      const request = (end = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
      // More than fits between the two.
      socket.write(request().repeat(3) + request('Connection: close\r\n'));
      await pause(ANSWER_LIMIT_MS);
      const answers = await untilClosed(socket);
      expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(Array.from({ length: 4 }, () => 'HTTP/1.1 200'));
      expect(answers.length).toBeGreaterThan(4 * length);
      expect((await test.client().get('/health/live')).status).toBe(200);
    },
    PATIENCE_MS,
  );
});
