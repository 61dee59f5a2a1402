import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/invariants.js';
import { exchange, openConnection, parseAnswer, untilClosed } from '../support/raw-http.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const LOGIN = '{"login":"nobody_here","password":"Abcdef1@"}';
const POST_LOGIN = `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

const SECURITY_HEADERS = [
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
];

describe('What Node would answer by itself', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '100000' } });
  });
  afterAll(() => test.close());

  const answers = (text: string) => text.match(/HTTP\/1\.1 \d{3}/g) ?? [];

  const unparsable: [string, string, number, string, path?: string][] = [
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['a method in lower case', 'get / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400, 'malformed_request'],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_request'],
    ['a blank before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', 400, 'malformed_request'],
    ['a folded line', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400, 'malformed_request'],
    ['lines that end with LF alone', 'GET / HTTP/1.1\nHost: x\n\n', 400, 'malformed_request'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      `${POST_LOGIN}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
      'malformed_request',
      '/auth/login',
    ],
    [
      'length and chunks',
      `${POST_LOGIN}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_request',
      '/auth/login',
    ],
    [
      'a broken chunk',
      `${POST_LOGIN}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
      400,
      'malformed_request',
      '/auth/login',
    ],
    [
      'headers beyond 16 KiB',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ];
  for (const [what, request, status, code, path = '/'] of unparsable) {
    it(`is told like any other refusal: ${what}`, async () => {
      const text = await exchange(test.url, request);
      const answer = parseAnswer(text);
      expectRefusal(path, answer, status);
      expect(answer.body.code).toBe(code);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.headers.get('connection')).toBe('close');
      expect(answers(text).length).toBe(1);
      const ordinary = (await fetch(`${test.url}/none`)).headers;
      for (const name of SECURITY_HEADERS) expect(answer.headers.get(name), name).toBe(ordinary.get(name));
    });
  }

  it('is told in the envelope of the path it named, though no more of it could be read', async () => {
    const tooLarge = `X-Big: ${'x'.repeat(20_000)}`;
    const first = 'GET /auth/none HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const [line, headers, kind] of [
      ['POST /auth/login HTTP/1.1', tooLarge, 'auth'],
      ['POST /auth/login HTTP/1.1', 'Content-Length: abc', 'auth'],
      ['POST http://x/auth/login HTTP/1.1', tooLarge, 'auth'],
      ['GET /api/profile HTTP/1.1', tooLarge, 'resource'],
      ['GET /api/profile HTTP/1.1', 'Content-Length: abc', 'resource'],
      ['M-SEARCH /auth/login HTTP/1.1', tooLarge, 'auth'],
      ['\r\nPOST /auth/login HTTP/1.1', tooLarge, 'auth'],
      ['X-Other: /auth/login HTTP/1.1', tooLarge, 'resource'],
      ['nonsense', '/auth/login', 'resource'],
    ]) {
      const request = `${line}\r\nHost: x\r\n${headers}\r\n\r\n`;
      const { status, body } = parseAnswer(await exchange(test.url, request));
      expect([400, 431], line).toContain(status);
      expect(Object.keys(body)[0], line).toBe(kind === 'auth' ? 'status_code' : 'error');
      // The same on a connection that has had an answer.
      const socket = await openConnection(test.url);
      socket.write(first);
      await once(socket, 'data');
      socket.write(request);
      const [second] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(parseAnswer(String(second)).body, line).toEqual(body);
    }
  });

  it('is told in that envelope too where its first line comes in pieces', async () => {
    for (const pieces of [
      ['POST /au', 'th/login HTTP/1.1\r\n', 'Content-Length: abc\r\n\r\n'],
      ['\r\n', 'POST /auth/login HTTP/1.1\r\nContent-Length: abc\r\n\r\n'],
    ]) {
      const socket = await openConnection(test.url);
      for (const piece of pieces) {
        socket.write(piece);
        await pause(20);
      }
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(parseAnswer(String(answer)).body, pieces[0]).toHaveProperty('status_code', 400);
    }
  });

  it('is told in that envelope too behind a request whose body came by itself', async () => {
    const socket = await openConnection(test.url);
    socket.write(`${POST_LOGIN}Content-Length: ${LOGIN.length}\r\n\r\n`);
    await pause(20);
    socket.write(LOGIN);
    await once(socket, 'data');
    socket.write('POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(parseAnswer(String(answer)).body).toHaveProperty('status_code', 400);
  });

  for (const [what, host] of [
    ['no Host', ''],
    ['two Hosts', 'Host: x\r\nHost: x\r\n'],
    ['a Host with a path', 'Host: x/y\r\n'],
    ['a Host with a user', 'Host: a@x\r\n'],
    ['a Host of several words', 'Host: x y\r\n'],
  ]) {
    it(`is told like any other refusal: ${what}`, async () => {
      for (const target of ['/auth/login', 'http://evil.example/auth/login']) {
        const request = `POST ${target} HTTP/1.1\r\n${host}Connection: close\r\nX-Request-Id: mine-1\r\nContent-Length: 0\r\n\r\n`;
        const answer = parseAnswer(await exchange(test.url, request));
        expectRefusal('/auth/login', answer, 400);
        expect(answer.body.code).toBe('malformed_request');
        expect(answer.headers.get('x-request-id')).toBe('mine-1');
      }
    });
  }

  it('is told like any other refusal: more than 100 headers', async () => {
    const request = (target: string, count: number) =>
      `GET ${target} HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(count - 2)}Connection: close\r\n\r\n`;
    for (const target of ['/auth/login', '/health/live', '/none']) {
      for (const count of [101, 2_000]) {
        const answer = parseAnswer(await exchange(test.url, request(target, count)));
        expectRefusal(target, answer, 431);
        expect(answer.body.code).toBe('headers_too_large');
      }
    }
    expect(parseAnswer(await exchange(test.url, request('/health/live', 100))).status).toBe(200);
  });

  it('is served: every way to write a host, and HTTP/1.0 without any', async () => {
    for (const host of ['x', 'x:80', '127.0.0.1:3000', '[::1]:3000', 'a-b.example', 'xn--bcher-kva.example', '']) {
      const answer = await exchange(
        test.url,
        `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(parseAnswer(answer).status, host).toBe(200);
    }
    expect(parseAnswer(await exchange(test.url, 'GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('is served: an expectation that nobody knows', async () => {
    const request = (expected: string) =>
      `${POST_LOGIN}Connection: close\r\nExpect: ${expected}\r\nContent-Length: ${LOGIN.length}\r\n\r\n${LOGIN}`;
    const odd = parseAnswer(await exchange(test.url, request('something')));
    expectRefusal('/auth/login', odd, 401);
    const usual = await exchange(test.url, request('100-continue'));
    expect(usual).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  });

  it('is never a second answer to one request, nor taken for the answer to the one before', async () => {
    const answered = await exchange(test.url, 'GET /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: foo\r\n\r\n');
    expect(answers(answered).length).toBeLessThanOrEqual(1);
    const login = `${POST_LOGIN}Content-Length: ${LOGIN.length}\r\n\r\n${LOGIN}`;
    const pipelined = await exchange(test.url, `${login}FOO / HTTP/1.1\r\n\r\n`);
    expect(answers(pipelined).filter((answer) => answer.endsWith('400'))).toEqual([]);
    const afterwards = await openConnection(test.url);
    const all = untilClosed(afterwards);
    afterwards.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => afterwards.once('data', resolve));
    afterwards.write('FOO / HTTP/1.1\r\n\r\n');
    expect(answers(await all)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});
