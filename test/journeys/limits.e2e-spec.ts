import { Controller, Get, Module, Post } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { ApiError } from '../../src/common/errors/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { REDIS, type RedisConnection } from '../../src/infrastructure/redis/index.js';
import { usesRedis } from '../support/backends.js';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const AUTH_PATHS = [
  'register',
  'verify-otp',
  'login',
  'refresh-token',
  'logout',
  'forgot-password',
  'reset-password',
  'resend-otp',
  'its-not-me',
];

@Public()
@Controller('api/reports')
class ReportsController {
  @Get()
  @Public({ limit: { quota: 3, windowMs: 10 * MINUTE } })
  @Operation({ summary: 'Make a report', description: 'It takes a while.', message: 'Report' })
  makeReport(): void {}

  @Post()
  @Public({ limit: 'auth' })
  @Operation({ summary: 'Redeem an invitation', description: 'Who guesses is held back.', message: 'Redeemed' })
  redeemInvitation(): void {}

  @Get('busy')
  @Public({ errors: ['too_many_requests'] })
  @Operation({ summary: 'Ask too much', description: 'Of somebody else.', message: 'Never' })
  askTooMuch(): never {
    throw new ApiError('too_many_requests');
  }
}

@Module({ controllers: [ReportsController] })
class ReportsModule {}

describe('Limits', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ extensions: [ReportsModule] });
  });
  afterAll(() => test.close());

  /** Redis keeps its own time: there the end of the window is moved instead of the clock. */
  const moveWindowBy = async (ms: number, address: string) => {
    if (!usesRedis) return test.clock.advance(ms);
    const redis = test.app.get<RedisConnection>(REDIS);
    const key = redis.key(`throttle:auth:LoginController.login:${address}`);
    const msToEnd = await redis.client.pTTL(key);
    expect(msToEnd).toBeGreaterThan(0);
    expect(msToEnd).toBeLessThanOrEqual(15 * MINUTE);
    await redis.client.pExpire(key, Math.max(0, msToEnd - ms));
  };

  it('let five requests through to each /auth endpoint in 15 minutes, whatever is in them', async () => {
    for (const path of AUTH_PATHS) {
      const client = test.client();
      for (let request = 1; request <= 5; request += 1) {
        const { status, headers } = await client.post(`/auth/${path}`, {});
        expect(status, path).not.toBe(429);
        expect(headers.get('ratelimit-policy')).toBe('"auth";q=5;w=900');
        expect(headers.get('ratelimit')).toMatch(new RegExp(`^"auth";r=${5 - request};t=(900|89\\d)$`));
      }
      const { status, headers, body } = await client.post(`/auth/${path}`, {});
      expect(status, path).toBe(429);
      expect(body).toEqual({
        status_code: 429,
        status: 'ERROR',
        code: 'too_many_login_attempts',
        message: 'Too many login attempts. Please try again later.',
        retry_after: Number(headers.get('retry-after')),
      });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
      expect(headers.get('ratelimit')).toMatch(/^"auth";r=0;t=\d+$/);
    }
  });

  it('let exactly five of many parallel requests through', async () => {
    const client = test.client();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => client.post('/auth/login', { login: 'a', password: 'b' })),
    );
    expect(answers.filter(({ status }) => status !== 429).length).toBe(5);
  });

  it('hold for the right password too', async () => {
    const { registration } = await test.personas.confirmed();
    const client = test.client();
    const right = { login: registration.username, password: PASSWORD };
    for (let request = 0; request < 5; request += 1)
      await client.post('/auth/login', { ...right, password: 'Wrong-pass1' });
    expect((await client.post('/auth/login', right)).status).toBe(429);
    expect((await test.client().post('/auth/login', right)).status).toBe(200);
  });

  it('end with their window', async () => {
    const client = test.client();
    for (let request = 0; request < 6; request += 1) await client.post('/auth/login', {});
    await moveWindowBy(15 * MINUTE - 2 * SECOND, client.address);
    expect((await client.post('/auth/login', {})).status).toBe(429);
    await moveWindowBy(3 * SECOND, client.address);
    expect((await client.post('/auth/login', {})).status).toBe(422);
  });

  it('count by route, however the path is written', async () => {
    const client = test.client();
    for (const path of ['/auth/login', '/auth/%6cogin', '/auth/login?x=1', '/auth/log%69n', '/auth/login#x']) {
      expect((await client.post(path, {})).status, path).toBe(422);
    }
    expect((await client.post('/auth/login', {})).status).toBe(429);
    expect((await client.post('/auth/%6cogin', {})).status).toBe(429);
  });

  it('do not depend on the user agent', async () => {
    const client = test.client();
    const statuses = [];
    for (const agent of ['Googlebot', '', 'curl', 'a', 'b', 'c']) {
      statuses.push((await client.post('/auth/login', {}, { headers: { 'user-agent': agent } })).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  });

  it('know one address in all its forms, and an IPv6 host by its /64', async () => {
    const groups = [
      ['203.0.113.9', '203.0.113.9:5555', '203.0.113.9:6666', '::ffff:203.0.113.9', '203.0.113.9', '203.0.113.9:1'],
      [
        '2001:db8::1',
        '2001:DB8:0:0::2',
        '[2001:db8::3]:443',
        '2001:db8::ffff:4',
        '2001:db8::5',
        '2001:db8:0:0:ffff::6',
      ],
    ];
    for (const addresses of groups) {
      const statuses = [];
      for (const address of addresses) statuses.push((await test.client(address).post('/auth/login', {})).status);
      expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    }
    expect((await test.client('2001:db8:0:1::1').post('/auth/login', {})).status).toBe(422);
  });

  it('allow a hundred requests to the other routes', async () => {
    const user = await test.personas.user();
    const client = test.client();
    const get = () => client.get('/api/profile', { bearer: user.token, apiKey: API_KEY });
    const first = await get();
    expect(first.headers.get('ratelimit-policy')).toBe('"general";q=100;w=900');
    expect(first.headers.get('ratelimit')).toMatch(/^"general";r=99;t=/);
    const rest = await Promise.all(Array.from({ length: 99 }, get));
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([200]));
    const { status, body, headers } = await get();
    expect(status).toBe(429);
    expect(body).toEqual({
      error: true,
      code: 'too_many_requests',
      message: 'Too many requests. Please try again later.',
      data: null,
      retry_after: Number(headers.get('retry-after')),
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await client.get('/api/login-history', { bearer: user.token, apiKey: API_KEY })).status).toBe(429);
    expect((await client.post('/auth/login', {})).status, 'which is counted apart').toBe(422);
  });

  it('of a route’s own count it alone, and end with their window', async () => {
    const client = test.client();
    const get = () => client.get('/api/reports');
    const policies = [];
    for (let request = 1; request <= 3; request += 1) {
      const { status, headers } = await get();
      policies.push(headers.get('ratelimit-policy'));
      expect([status, headers.get('ratelimit')]).toEqual([200, expect.stringMatching(`^"route";r=${3 - request};t=`)]);
    }
    expect(new Set(policies)).toEqual(new Set(['"route";q=3;w=600']));
    const { status, body } = await get();
    expect([status, body.code]).toEqual([429, 'too_many_requests']);
    expect(body.retry_after).toBeLessThanOrEqual(600);
    expect((await client.get('/health/live')).status).toBe(200);
    expect((await test.client().get('/api/reports')).status).toBe(200);
    await test.advance(10 * MINUTE);
    expect((await get()).status).toBe(200);
  });

  it('made for guessing speak of logins under /auth alone, in the document too', async () => {
    const client = test.client();
    for (let request = 0; request < 5; request += 1) expect((await client.post('/api/reports')).status).toBe(200);
    expect((await client.post('/api/reports')).body.code).toBe('too_many_requests');
    const { body } = await client.get('/openapi.json');
    const examples = (path: string) =>
      Object.keys(body.paths[path].post.responses['429'].content['application/json'].examples);
    expect(examples('/api/reports')).toEqual(['too_many_requests']);
    expect(examples('/auth/login')).toEqual(['too_many_login_attempts']);
  });

  it('that a handler names itself say when to come again', async () => {
    const { status, body, headers } = await test.client().get('/api/reports/busy');
    expect([status, body.retry_after, headers.get('retry-after')]).toEqual([429, 5, '5']);
  });

  it.each([
    { quota: 0, windowMs: MINUTE },
    { quota: 2.5, windowMs: MINUTE },
    { quota: 5, windowMs: 60 },
    { quota: 5, windowMs: (24 * 60 * MINUTE) / 7 },
    { quota: 5, windowMs: Infinity },
  ])('of %o are refused where they are declared', (limit) => {
    expect(() => Public({ limit })).toThrow('whole numbers, from 1, and of a second to a day');
  });

  it('tell who guesses how many attempts are left, and nobody else', async () => {
    const client = test.client();
    const guesses: unknown[] = [];
    for (let guess = 1; guess <= 5; guess += 1) {
      const { body } = await client.post('/auth/login', { login: 'nobody_at_all', password: 'Wrong-pass1' });
      guesses.push(body.attempts_remaining);
    }
    expect(guesses).toEqual([4, 3, 2, 1, 0]);
    expect((await client.post('/auth/login', {})).body).not.toHaveProperty('attempts_remaining');
    expect((await test.client().post('/auth/login', {})).body).not.toHaveProperty('attempts_remaining');
    expect((await test.client().get('/api/profile', { apiKey: 'wrong' })).body).not.toHaveProperty(
      'attempts_remaining',
    );
  });

  it('do not hold for health checks', async () => {
    const client = test.client();
    const answers = await Promise.all(Array.from({ length: 120 }, () => client.get('/health/live')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  describe('without a trusted proxy', () => {
    it('ignore what a request says of its address', async () => {
      const direct = await startTestApp({ env: { TRUST_PROXY: '' } });
      try {
        const statuses = [];
        for (const address of [
          '198.51.100.1',
          '198.51.100.2',
          '198.51.100.3',
          '198.51.100.4',
          '198.51.100.5',
          '198.51.100.6',
        ]) {
          const headers = { 'x-real-ip': address, forwarded: `for=${address}`, 'cf-connecting-ip': address };
          statuses.push((await direct.client(address).post('/auth/login', {}, { headers })).status);
        }
        expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
      } finally {
        await direct.close();
      }
    });
  });

  it('take the right-most hop that is no proxy of ours', async () => {
    const statuses = [];
    for (let hop = 1; hop <= 6; hop += 1) {
      statuses.push((await test.client(`9.9.9.${hop}, 198.51.100.77`).post('/auth/login', {})).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  });
});
