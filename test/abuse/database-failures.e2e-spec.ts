import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { LoginReportTokens } from '../../src/security/index.js';
import { newRegistration, PASSWORD } from '../support/personas.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import { timed, until } from '../support/bounded.js';

describe('While the database is', () => {
  let store: EmbeddedMongodb;
  let proxy: TcpProxy;
  let test: TestApp;
  beforeAll(async () => {
    store = await startEmbeddedMongodb();
    proxy = await TcpProxy.before(store.uri);
    test = await startTestApp({ env: { MONGODB_URI: proxy.mongodbUri } });
  });
  afterAll(async () => {
    proxy.restore();
    await test.close();
    await proxy.close();
    await store.close();
  });

  for (const [state, fail] of [
    ['stopped', () => proxy.cut()],
    ['frozen', () => proxy.freeze()],
  ] as const) {
    it(`${state}, requests are told so within five seconds, nothing is half done, and it recovers`, async () => {
      const user = await test.personas.user();
      const registration = newRegistration();
      const reports = test.app.get(LoginReportTokens, { strict: false });
      const link = reports.issue({
        userId: user.userId,
        sessionId: user.userId,
        recoveries: 0,
        loggedInAt: new Date(),
      });
      fail();
      const requests: [string, object][] = [
        ['/auth/register', registration],
        ['/auth/login', { login: user.registration.username, password: PASSWORD }],
        ['/auth/forgot-password', { email: user.registration.email }],
        ['/auth/refresh-token', { refresh_token: user.refresh_token }],
        ['/auth/verify-otp', { email: user.registration.email, otp: '123456' }],
        ['/auth/resend-otp', { email: user.registration.email }],
        ['/auth/reset-password', { token: 'x'.repeat(43), password: PASSWORD, password_confirmation: PASSWORD }],
      ];
      for (const [path, body] of requests) {
        const { status, headers, body: answer, text } = await timed(test.client().post(path, body));
        expect(status, `${path} ${text}`).toBe(503);
        expect(answer).toMatchObject({ status_code: 503, code: 'service_unavailable' });
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(text).not.toMatch(/mongo/i);
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const page = await timed(test.client().post('/not-me', `token=${link}`, { headers: form }));
      expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
      expect((await test.client().get('/health/live')).status).toBe(200);
      const ready = await timed(test.client().get('/health/ready'));
      expect(ready.status).toBe(503);
      expect(ready.body).toMatchObject({
        error: true,
        code: 'service_unavailable',
        data: { status: 'down', dependencies: { database: 'down' } },
      });
      const metrics = await timed(test.client().get('/metrics'));
      expect(metrics.status, 'metrics are wanted most when something is down').toBe(200);
      expect(metrics.text).toMatch(/^database_up 0$/m);
      expect(metrics.text, 'what is not known is not told').not.toMatch(/^mails_waiting /m);

      proxy.restore();
      await until(async () => (await test.client().get('/health/ready')).status === 200);
      expect(
        (await test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD })).status,
      ).toBe(200);
      expect((await test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token })).status).toBe(200);
      expect((await test.client().post('/auth/register', registration)).status).toBe(201);
    });
  }

  it('gone without a word and replaced, it is found again within seconds, by whoever waited for it too', async () => {
    const user = await test.personas.user();
    const login = () =>
      timed(test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD }));
    const backWithin = async (ms: number) => {
      const goneAt = performance.now();
      proxy.forsake();
      await until(async () => (await login()).status === 200);
      expect(performance.now() - goneAt).toBeLessThan(ms);
    };
    // What was sent is given up after two seconds.
    await backWithin(8_000);
    proxy.freeze();
    expect((await test.client().get('/health/ready')).status).toBe(503);
    // Until its driver has noticed, and connects anew.
    await pause(13_000);
    await backWithin(8_000);
  });

  it('away for a protected route, nobody is let in who is not known', async () => {
    const user = await test.personas.user();
    const goner = await test.personas.user();
    await test.client().post('/auth/logout', { refresh_token: goner.refresh_token }, { bearer: goner.token });
    proxy.cut();
    const unknown = await timed(test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY }));
    expect(unknown.status).toBe(503);
    const ended = await timed(test.client().get('/api/profile', { bearer: goner.token, apiKey: API_KEY }));
    expect(ended.body.code, 'what has ended is known without it').toBe('logged_out');
    proxy.restore();
    await until(async () => (await test.client().get('/health/ready')).status === 200);
    expect((await test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY })).status).toBe(200);
  });
});

describe('While a start waits for the database', () => {
  it('an index that takes its time is waited for, and its collection is named', async () => {
    const log = vi.spyOn(Logger.prototype, 'log');
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    // Longer than any other answer is waited for.
    proxy.judge = (chunk) =>
      chunk.includes('createIndexes') && chunk.includes('login_histories') && chunk.includes('expireAfterSeconds')
        ? { lateMs: 3_000 }
        : 'pass';
    const test = await startTestApp({
      env: { MONGODB_URI: proxy.mongodbUri },
    });
    expect((await test.client().get('/health/ready')).status).toBe(200);
    const told = log.mock.calls.map(([line]) => String(line)).filter((line) => line.startsWith('Making the indexes'));
    expect(told).toContainEqual(expect.stringContaining(' login_histories,'));
    expect(told.length, 'no word of those that are made at once').toBeLessThan(5);
    log.mockRestore();
    await test.close();
    await proxy.close();
    await store.close();
  });

  it('it is the one that the address names, or that of the service', async () => {
    const store = await startEmbeddedMongodb();
    const proxy = await TcpProxy.before(store.uri);
    for (const [path, name] of [
      ['/of_the_operator', 'of_the_operator'],
      ['/', 'accounts'],
    ]) {
      const MONGODB_URI = proxy.mongodbUri.replace('/?', `${path}?`);
      const test = await startTestApp({ env: { MONGODB_URI } });
      expect(test.database.name).toBe(name);
      await test.personas.visitor();
      await test.close();
    }
    const client = await new MongoClient(store.uri).connect();
    const { databases } = await client.db().admin().listDatabases();
    expect(databases.map(({ name }) => name)).toEqual(expect.arrayContaining(['accounts', 'of_the_operator']));
    await client.close();
    await proxy.close();
    await store.close();
  });

  it('a user that it refuses is told at once', async () => {
    const store = await startEmbeddedMongodb();
    const client = await new MongoClient(store.uri).connect();
    const failure = { failCommands: ['hello'], errorCode: 18 };
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data: failure });
    await expect(startTestApp({ env: { MONGODB_URI: store.uri } })).rejects.toThrow(/MONGODB_URI refuses this user/);
    await client.close();
    await store.close();
  });
});
