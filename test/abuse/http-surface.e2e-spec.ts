import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/invariants.js';
import type { User } from '../support/personas.js';
import { exchange as exchangeWith, openConnection, parseAnswer, untilClosed } from '../support/raw-http.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('The HTTP surface', () => {
  let test: TestApp;
  let user: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' } });
    user = await test.personas.user();
  });
  afterAll(() => test.close());

  const open = () => openConnection(test.url);
  const exchange = (...parts: (string | Buffer)[]) => exchangeWith(test.url, ...parts);
  const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  const post = (path: string, body: string | Buffer, headers = '') =>
    exchange(
      Buffer.concat([
        Buffer.from(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
        ),
        Buffer.from(body),
      ]),
    );

  it('serves the methods it declares, and echoes none', async () => {
    for (const path of ['/auth/login', '/api/profile', '/health/live', '/nothing']) {
      for (const method of ['TRACE', 'CONNECT', 'FOO', 'post', 'PROPFIND', 'LOCK']) {
        const answer = await exchange(
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Secret: echo-me\r\nConnection: close\r\n\r\n`,
        );
        const status = statusOf(answer);
        expect(
          status === 0 || (status >= 400 && status < 500) || status === 501,
          `${method} ${path}: ${answer.slice(0, 100)}`,
        ).toBe(true);
        expect(answer).not.toContain('echo-me');
      }
    }
    const overridden = await test
      .client()
      .post('/api/profile', {}, { headers: { 'x-http-method-override': 'GET' }, bearer: user.token, apiKey: API_KEY });
    expect(overridden.status).toBe(405);
  });

  it('answers what names no path like everything else: with its headers, and counted', async () => {
    const answerTo = async (line: string) =>
      parseAnswer(await exchange(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`));
    const { status, headers } = await answerTo('OPTIONS *');
    expect(status).toBe(204);
    expect(headers.get('x-request-id')).toMatch(/.+/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    for (const line of ['POST *auth/login', 'GET *health/live', 'GET *']) expectRefusal('*', await answerTo(line), 404);
    expect((await answerTo('OPTIONS ftp://x/')).headers.get('x-request-id')).toMatch(/.+/);
    const { text } = await test.client().get('/metrics');
    expect(text).toMatch(/^http_request_duration_seconds_count\{method="OPTIONS",route="\*",status="204"\} 2$/m);
    expect(text).toMatch(/^http_request_duration_seconds_count\{method="POST",route="none",status="404"\} 1$/m);
  });

  it('has no file of a page that is asked for by a crooked path, in parts or on conditions', async () => {
    const file = '/docs/swagger-ui.css';
    const refused: [path: string, header: string][] = [
      ['/docs/../package.json', ''],
      ['/docs/../../package.json', ''],
      ['/docs/%2e%2e/package.json', ''],
      ['/docs//swagger-ui.css', ''],
      ['/docs/%00', ''],
      [file, 'Range: bytes=99999999-\r\n'],
      [file, 'If-Match: "another"\r\n'],
      [file, 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n'],
    ];
    for (const [path, header] of refused) {
      const answer = parseAnswer(
        await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`),
      );
      expectRefusal(path, answer, 404);
      expect(answer.body.code).toBe('not_found');
    }
    expect((await test.client().get(file)).status).toBe(200);
  });

  it('does not crash on bodies that are no text', async () => {
    const bodies = [
      Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('{"login":"a","password":"b"}')]),
      Buffer.from('{"login":"\\ud800","password":"\\udfff"}'),
      Buffer.from('{"login":"a\\u0000b","password":"\\u0000"}'),
      Buffer.from('{"login":"a","login":["b"],"password":"c"}'),
      Buffer.from('1e999'),
      Buffer.from('{"login":1e999,"password":-0}'),
      Buffer.alloc(1_000, 0x5b),
    ];
    for (const body of bodies) {
      const status = statusOf(await post('/auth/login', body));
      expect([400, 401, 422], body.toString('latin1').slice(0, 40)).toContain(status);
    }
  });

  it('takes the same value of a repeated key for everything', async () => {
    const { registration } = await test.personas.confirmed();
    const body = `{"email":"other@example.com","email":"${registration.email}"}`;
    expect(statusOf(await post('/auth/forgot-password', body))).toBe(200);
    await test.inbox.waitFor(registration.email, 'password-reset');
    expect(await test.database.collection('mails').countDocuments({ to: 'other@example.com' })).toBe(0);
  });

  it('ends endless, chunked and oversized bodies', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const endless = await exchange(
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...Array.from({ length: 64 }, () => chunk),
    );
    expect([0, 413]).toContain(statusOf(endless));
    expect(statusOf(await post('/auth/login', `{"login":"${'x'.repeat(2_000_000)}"}`))).toBe(413);
    const wide = `{${Array.from({ length: 1_500 }, (_, i) => `"k${i}":1`).join(',')}}`;
    expect([413, 422]).toContain(statusOf(await post('/auth/login', wide)));
  });

  it('answers pipelined requests in their order', async () => {
    const one = 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: one\r\n\r\n';
    const two = 'GET /nothing HTTP/1.1\r\nHost: x\r\nX-Request-Id: two\r\nConnection: close\r\n\r\n';
    const answer = await exchange(one + two);
    expect(answer.indexOf('x-request-id: one')).toBeGreaterThan(-1);
    expect(answer.indexOf('x-request-id: two')).toBeGreaterThan(answer.indexOf('x-request-id: one'));
  });

  it('finds logged out who asks in the same packet as for the logout', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { token, refresh_token } = await test.personas.user();
      const body = JSON.stringify({ refresh_token });
      const bearer = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
      const answer = await exchange(
        `POST /auth/logout HTTP/1.1\r\n${bearer}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
          `GET /api/profile HTTP/1.1\r\n${bearer}X-Api-Key: ${API_KEY}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer.match(/(?<=HTTP\/1\.1 )\d{3}/g)).toEqual(['200', '401']);
    }
  });

  it('serves four requests that are sent ahead of their answers', async () => {
    const socket = await open();
    const answered = untilClosed(socket);
    const request = (end = '') => `GET /health/live HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
    socket.write(request().repeat(3) + request('Connection: close\r\n'));
    expect((await answered).match(/HTTP\/1\.1 200/g)?.length).toBe(4);
  });

  it('cuts off who sends more, does nothing of what is beyond, and does not even look at most of it', async () => {
    const refusals = () =>
      test.database
        .collection('security_events')
        .countDocuments({ kind: 'authn_fail', detail: 'invalid_api_key /api/profile' });
    const before = await refusals();
    let seen = 0;
    const server = test.app.getHttpServer() as Server;
    const see = () => void (seen += 1);
    server.on('request', see);
    const socket = await open();
    const cut = untilClosed(socket);
    socket.write('GET /api/profile HTTP/1.1\r\nHost: x\r\nX-Api-Key: wrong\r\n\r\n'.repeat(900));
    await cut;
    server.off('request', see);
    // Those of the first 2 KiB; a read has 64.
    expect(seen).toBeGreaterThan(4);
    expect(seen).toBeLessThan(40);
    expect((await test.client().get('/api/profile', { apiKey: 'wrong' })).status).toBe(401);
    await expect.poll(refusals, { timeout: 5_000 }).toBeGreaterThan(before + 4);
    expect(await refusals(), 'four of those that were sent ahead, and the one after').toBe(before + 5);
  });

  it('holds no thousands of answers for a client that reads none', async () => {
    const before = process.memoryUsage().heapUsed;
    const sockets = await Promise.all(Array.from({ length: 10 }, open));
    const cut = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) {
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_500));
      socket.resume();
    }
    await Promise.all(cut);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
    expect((await test.client().get('/health/live')).status).toBe(200);
  });

  it('takes bodies in UTF-8 alone', async () => {
    const body = Buffer.concat([Buffer.from('{"login":"a","password":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(statusOf(await post('/auth/login', body))).toBe(400);
  });

  it('is not moved by upgrades and absolute addresses', async () => {
    const upgraded = await open();
    upgraded.write(
      'GET /api/profile HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    const [answer] = (await once(upgraded, 'data')) as [Buffer];
    expect(statusOf(answer.toString())).toBe(401);
    upgraded.destroy();
    const login = await exchange(
      'POST http://evil.example/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(login).toContain('"status_code":422');
    const absolute = await exchange(
      'GET http://evil.example/api/profile HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect([400, 401, 404]).toContain(statusOf(absolute));
  });

  it('survives requests that are given up half-way, and serves others meanwhile', async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, open));
    for (const [i, socket] of sockets.entries()) {
      socket.write(
        `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"login":"a${i}`,
      );
    }
    expect((await test.client().get('/health/live')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    const server = test.app.getHttpServer() as Server;
    const controller = new AbortController();
    let seen = 0;
    // Not sooner: what is given up at once is never sent.
    const giveUpWhenAllAreThere = ({ headers }: IncomingMessage) => {
      if (headers['x-request-id'] === 'given-up' && (seen += 1) === 20) controller.abort();
    };
    server.on('request', giveUpWhenAllAreThere);
    const given = Array.from({ length: 20 }, () =>
      fetch(`${test.url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-request-id': 'given-up' },
        body: JSON.stringify({ login: 'a', password: 'b' }),
        signal: controller.signal,
      }),
    );
    expect((await Promise.allSettled(given)).map(({ status }) => status)).toContain('rejected');
    server.off('request', giveUpWhenAllAreThere);
    expect((await test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY })).status).toBe(200);
  });

  it('answers JSON, whatever the caller accepts', async () => {
    for (const accept of ['text/html', 'application/xml', '*/*;q=0', 'image/png']) {
      const { headers } = await test.client().get('/nothing', { headers: { accept } });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('tells nothing of what it is made of', async () => {
    for (const path of ['/', '/.env', '/.git/config', '/package.json', '/admin', '/graphql', '/server-status']) {
      const response = await test.client().get(path);
      expectRefusal(path, response, [400, 404]);
      for (const name of ['server', 'x-powered-by', 'via']) expect(response.headers.get(name)).toBeNull();
    }
  });
});

describe('A service that is closed', () => {
  it('does not wait for connections that carry no request', async () => {
    const test = await startTestApp();
    const sockets = await Promise.all(Array.from({ length: 5 }, () => openConnection(test.url)));
    sockets[0]?.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => sockets[0]?.once('data', resolve));
    const ended = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    await test.close();
    await ended;
  }, 10_000);

  it('answers the request that it has begun to read, and lets its connection go then', async () => {
    const test = await startTestApp();
    const [idle, busy] = await Promise.all([openConnection(test.url), openConnection(test.url)]);
    const [idleEnded, answered] = [untilClosed(idle), untilClosed(busy)];
    const arrived = once(test.app.getHttpServer() as Server, 'request');
    busy.write('POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
    await arrived;
    const closed = test.close();
    expect(await idleEnded).toBe('');
    busy.write('}');
    expect(parseAnswer(await answered).status).toBe(422);
    await closed;
  }, 10_000);
});
