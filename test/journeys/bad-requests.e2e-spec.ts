import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRegistration } from '../support/personas.js';
import { exchange, parseAnswer } from '../support/raw-http.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

describe('A request that cannot be served', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000' } });
  });
  afterAll(() => test.close());

  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    test.client().request(path, { method: 'POST', body, headers });

  const raw = (text: string) => exchange(test.url, text);

  it('is told that its JSON is malformed', async () => {
    for (const body of [
      '{',
      '{"a":}',
      '{"login":"a",}',
      '{"a":NaN}',
      '// no',
      '{"__proto__":{"role":"admin"}}',
      '{"constructor":{"prototype":{"role":"admin"}}}',
    ]) {
      const { status, body: answer } = await post('/auth/login', body);
      expect(status, body).toBe(400);
      expect(answer).toEqual({
        status_code: 400,
        status: 'ERROR',
        code: 'malformed_request',
        message: 'Malformed request',
      });
    }
  });

  it('is told that its body is no object', async () => {
    for (const body of ['null', '[]', '"x"', '1', 'true']) {
      const { status, body: answer } = await post('/auth/login', body);
      expect(status, body).toBe(422);
      expect(answer.code).toBe('validation_failed');
    }
  });

  it('is not a stack overflow when it is nested deeply', async () => {
    for (const depth of [10, 1_500, 4_000]) {
      for (const login of [nested('[', ']', depth), nested('{"a":', '}', depth).replace(':}', ':1}')]) {
        const { status } = await post('/auth/login', `{"password":"x","login":${login}}`);
        expect(status, `${depth}`).toBeGreaterThanOrEqual(400);
        expect(status, `${depth}`).toBeLessThan(500);
      }
    }
  });

  it('is told that it is nested too deeply from nine levels on', async () => {
    const messagesAt = async (depth: number) => {
      const { body } = await post('/auth/login', `{"password":"x","login":${nested('[', ']', depth)}}`);
      return body.errors.map(({ message }: { message: string }) => message);
    };
    expect(await messagesAt(8)).toEqual(['login must be a string']);
    expect(await messagesAt(9)).toEqual(['body is nested too deeply']);
  });

  it('is told which method the path serves', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
      const { status, headers, body } = await test.client().request('/auth/login', { method });
      expect(status, method).toBe(405);
      expect(headers.get('allow')).toBe('POST');
      if (method !== 'HEAD') {
        expect(body).toEqual({
          status_code: 405,
          status: 'ERROR',
          code: 'method_not_allowed',
          message: 'Method not allowed',
        });
      }
    }
    const other = await test.client().request('/api/profile', { method: 'DELETE' });
    expect(other.status).toBe(405);
    expect(other.headers.get('allow')).toBe('GET, HEAD, PATCH');
    expect(other.body).toEqual({ error: true, code: 'method_not_allowed', message: 'Method not allowed', data: null });
  });

  it.each([
    ['PUT', '/auth/login', 405, 'POST'],
    ['DELETE', '/api/profile', 405, 'GET, HEAD, PATCH'],
    ['POST', '/auth/nothing', 404, null],
    ['POST', '/nothing', 404, null],
  ])('is told so whatever its body is: %s %s', async (method, path, status, allow) => {
    const bodies: [type: string, body: string][] = [
      ['application/json', '{'],
      ['application/json', JSON.stringify('x'.repeat(17_000))],
      ['application/x-www-form-urlencoded', 'login=ada'],
      ['text/plain', 'ada'],
    ];
    for (const [type, body] of bodies) {
      const request = { method, body, headers: { 'content-type': type } };
      const answer = await fetch(`${test.url}${path}`, request);
      expect([answer.status, answer.headers.get('allow')], type).toEqual([status, allow]);
    }
  });

  it('is told that there is nothing, in the envelope of its neighbours', async () => {
    const paths = ['/auth/nothing', '/auth', '/auth/login/x'];
    for (const path of paths) {
      const { status, body } = await test.client().get(path);
      expect(status, path).toBe(404);
      expect(body).toEqual({ status_code: 404, status: 'ERROR', code: 'not_found', message: 'Not found' });
    }
    for (const path of ['/', '/nothing', '/AUTHX/login', '/.env', '/.git/config', '//auth/login', '/x;y=1']) {
      const { status, body } = await test.client().get(path);
      expect(status, path).toBe(404);
      expect(body, path).toMatchObject({ code: 'not_found', message: 'Not found' });
    }
    // As it is: fetch would make another path of it.
    const crooked = await raw('GET /api/%2e%2e HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(parseAnswer(crooked)).toMatchObject({ status: 404, body: { code: 'not_found', message: 'Not found' } });
    const malformed = await test.client().get('/%zz');
    expect(malformed.status).toBe(400);
    expect(malformed.body).toMatchObject({ code: 'malformed_request' });
  });

  it('is told that its body is too large', async () => {
    const { status, body } = await post('/auth/login', JSON.stringify({ login: 'a', password: 'x'.repeat(16 * 1024) }));
    expect(status).toBe(413);
    expect(body).toEqual({
      status_code: 413,
      status: 'ERROR',
      code: 'payload_too_large',
      message: 'Request body too large',
    });
  });

  it('may name any type with a request whose body is never read', async () => {
    const { status } = await test.client().get('/health/live', { headers: { 'content-type': 'text/plain' } });
    expect(status).toBe(200);
  });

  it('may name any type with no body at all: clients do so with every POST and DELETE', async () => {
    const { api } = await test.personas.admin();
    const unknown = '0123456789abcdef01234567';
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'nonsense']) {
      const headers = { 'content-type': type };
      const login = await test.client().request('/auth/login', { method: 'POST', headers });
      expect(login.status, type).toBe(422);
      expect(login.body.errors).toContainEqual({ field: 'login', message: 'login is required' });
      const restored = await api.request(`/api/users/${unknown}/restore`, { method: 'POST', headers });
      expect(restored.body, type).toMatchObject({ code: 'not_found' });
      const ended = await api.request(`/api/login-history/${unknown}`, { method: 'DELETE', headers });
      expect(ended.body, type).toMatchObject({ code: 'not_found' });
    }
  });

  it('is told that a body in pieces is not JSON, even where there is no piece', async () => {
    const head = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n';
    expect(await raw(`${head}Content-Type: text/plain\r\n\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 415 /);
    expect(await raw(`${head}Content-Type: application/json\r\n\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is told that only JSON is understood', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonx',
      'application/json; charset=utf-16',
    ];
    const registration = newRegistration();
    for (const type of types) {
      const { status, body, headers } = await post('/auth/register', JSON.stringify(registration), {
        'content-type': type,
      });
      expect(status, type).toBe(415);
      expect(body.code).toBe('unsupported_media_type');
      expect(headers.get('accept')).toBe('application/json');
    }
    const coded = await post('/auth/register', JSON.stringify(registration), { 'content-encoding': 'gzip' });
    expect([coded.status, coded.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await test.database.collection('users').countDocuments({ email: registration.email })).toBe(0);
    expect(
      (
        await post('/auth/register', JSON.stringify(registration), {
          'content-type': 'application/json; charset=UTF-8',
          'content-encoding': 'identity',
        })
      ).status,
    ).toBe(201);
  });

  it('is told that its headers are too large', async () => {
    const answer = await raw(`GET /health/live HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] as string)).toMatchObject({ code: 'headers_too_large' });
  });

  it('is refused when its framing is ambiguous', async () => {
    const requests = [
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
      'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /health/live HTTP/1.1\r\nHost : x\r\n\r\n',
      'FOO /health/live HTTP/1.1\r\nHost: x\r\n\r\n',
    ];
    for (const request of requests) expect(await raw(request), request).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('shows nothing of what is inside', async () => {
    for (const { text, headers } of [
      await post('/auth/login', '{'),
      await test.client().get('/nothing'),
      await test.client().get('/%zz'),
      await post('/auth/register', JSON.stringify({ email: { $where: '1' } })),
    ]) {
      expect(text).not.toMatch(/fastify|nest|mongo|FST_|at Object|node_modules|\$where/i);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toBe("default-src 'none';base-uri 'none';frame-ancestors 'none'");
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('keeps the request id it came with, if that is harmless', async () => {
    const kept = await test.client().get('/health/live', { headers: { 'x-request-id': 'abc-123' } });
    expect(kept.headers.get('x-request-id')).toBe('abc-123');
    for (const id of ['<script>', 'x'.repeat(200), 'a b']) {
      const { headers } = await test.client().get('/nothing', { headers: { 'x-request-id': id } });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('is not shared with strange origins', async () => {
    const preflight = (origin: string) =>
      test.client().request('/auth/login', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      });
    const own = await preflight('https://app.example');
    expect(own.status).toBe(204);
    expect(own.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(own.headers.get('access-control-allow-credentials')).toBeNull();
    expect(own.headers.get('access-control-max-age')).toBe('7200');
    expect(own.headers.get('access-control-allow-headers')).toContain(
      'authorization, content-type, x-api-key, x-request-id, traceparent, tracestate',
    );
    for (const origin of [
      'https://evil.example',
      'null',
      'https://app.example.evil.example',
      'http://app.example',
      'https://app.example:8443',
    ]) {
      const { headers } = await preflight(origin);
      expect(headers.get('access-control-allow-origin'), origin).toBeNull();
    }
  });

  it.each([
    ['POST', '/auth/login', 422],
    ['GET', '/nothing', 404],
    ['GET', `/api/users/${'a'.repeat(200)}`, 414],
    ['GET', '/api/users/%E0', 400],
  ])('can be read by a page of the front end when it is refused: %s %s', async (method, path, status) => {
    const answer = (origin: string) => test.client().request(path, { method, headers: { origin } });
    const refused = await answer('https://app.example');
    expect(refused.status).toBe(status);
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example');
    // Whatever the service tells in headers, too.
    expect(refused.headers.get('access-control-expose-headers')).toBe(
      'date, x-request-id, retry-after, ratelimit, ratelimit-policy, www-authenticate',
    );
    expect(Date.parse(refused.headers.get('date') ?? '')).not.toBeNaN();
    const { headers } = await answer('https://evil.example');
    expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([null, 'Origin']);
  });
});
