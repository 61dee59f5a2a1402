import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseBeforeNext } from '../../src/infrastructure/redis/redis-connection.js';
import { redisUrl } from '../support/backends.js';
import { PASSWORD, type User } from '../support/personas.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import { timed, until } from '../support/bounded.js';

describe.skipIf(!redisUrl())('While Redis is', () => {
  let proxy: TcpProxy;
  let test: TestApp;
  beforeAll(async () => {
    proxy = await TcpProxy.before(redisUrl() as string);
    test = await startTestApp({ redis: true, env: { REDIS_URL: proxy.redisUrl } });
  });
  afterAll(async () => {
    proxy.restore();
    await test.close();
    await proxy.close();
  });

  const profile = (bearer: string) => timed(test.client().get('/api/profile', { bearer, apiKey: API_KEY }));
  const login = (user: User, client = test.client()) =>
    timed(client.post('/auth/login', { login: user.registration.username, password: PASSWORD }));
  const logout = (user: User) =>
    timed(test.client().post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token }));
  const readiness = async () => (await timed(test.client().get('/health/ready'))).body.data;

  for (const [state, fail] of [
    ['stopped', () => proxy.cut()],
    ['frozen', () => proxy.freeze()],
  ] as const) {
    it(`${state}, people go on, ended sessions stay out, limits hold; and it recovers`, async () => {
      const user = await test.personas.user();
      const goner = await test.personas.user();
      for (const { token } of [user, goner]) expect((await profile(token)).status).toBe(200);

      fail();
      expect((await profile(user.token)).status).toBe(200);
      expect((await login(user)).status).toBe(200);
      const refreshed = await timed(test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token }));
      expect(refreshed.status).toBe(200);
      expect((await logout(goner)).status).toBe(200);
      expect((await profile(goner.token)).status).toBe(401);
      const client = test.client();
      const statuses = [];
      for (let i = 0; i < 7; i += 1) statuses.push((await timed(client.post('/auth/login', {}))).status);
      expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429]);
      expect(await readiness()).toMatchObject({ status: 'degraded', dependencies: { database: 'up', redis: 'down' } });
      const metrics = await timed(test.client().get('/metrics'));
      expect(metrics.text).toMatch(/^redis_up 0$/m);
      expect(metrics.text).toMatch(/^redis_fallbacks_total [1-9]\d*$/m);

      proxy.restore();
      await until(async () => (await readiness()).status === 'ready');
      expect((await profile(goner.token)).status, 'the logout that Redis missed').toBe(401);
      expect((await profile(user.token)).status).toBe(200);
    });
  }

  it('gone without a word and replaced, it is connected to anew, and hears of what it missed', async () => {
    const goner = await test.personas.user();
    expect((await profile(goner.token)).status).toBe(200);
    proxy.forsake();
    expect((await logout(goner)).status).toBe(200);
    expect((await readiness()).status).toBe('degraded');
    await until(async () => (await readiness()).status === 'ready');
    const other = await startTestApp({ beside: test, env: { REDIS_URL: redisUrl() as string } });
    const refused = await other.client().get('/api/profile', { bearer: goner.token, apiKey: API_KEY });
    expect(refused.body.code).toBe('logged_out');
    await other.close();
  });

  it('away for however long, it is looked for every two seconds at least', async () => {
    const pauses = Array.from({ length: 2_000 }, (_, attempt) => pauseBeforeNext(attempt));
    expect(Math.min(...pauses)).toBe(50);
    expect(Math.max(...pauses)).toBe(2_000);
  });

  it('frozen for longer than one waits for a connection, it is back with one connection', async () => {
    proxy.freeze();
    expect((await readiness()).status).toBe('degraded');
    await pause(13_000);
    proxy.restore();
    await until(async () => (await readiness()).status === 'ready');
    expect(proxy.connections).toBe(1);
  });

  it('back, other instances hear of what one has missed, though nobody asks that one for anything', async () => {
    const other = await startTestApp({ beside: test, env: { REDIS_URL: redisUrl() as string } });
    const goner = await test.personas.user();
    const ofOther = () => other.client().get('/api/profile', { bearer: goner.token, apiKey: API_KEY });
    expect((await ofOther()).status).toBe(200);
    proxy.cut();
    expect((await logout(goner)).status).toBe(200);
    expect((await ofOther()).status, 'what the cache still holds').toBe(200);
    proxy.restore();
    await until(async () => (await ofOther()).status === 401);
    await other.close();
  });

  it('back for one instance before another, no session is let in that the other has ended meanwhile', async () => {
    const ownWay = await TcpProxy.before(redisUrl() as string);
    const other = await startTestApp({ beside: test, env: { REDIS_URL: ownWay.redisUrl } });
    const goner = await test.personas.user();
    const ofOther = () => other.client().get('/api/profile', { bearer: goner.token, apiKey: API_KEY });
    expect((await ofOther()).status).toBe(200);
    proxy.cut();
    ownWay.cut();
    expect((await logout(goner)).status).toBe(200);
    ownWay.restore();
    await until(async () => (await other.client().get('/health/ready')).body.data.status === 'ready');
    expect((await ofOther()).body.code).toBe('logged_out');
    proxy.restore();
    await until(async () => (await readiness()).status === 'ready');
    await other.close();
    await ownWay.close();
  });

  it('away, no slate is called clean that Redis would not forget; the next one is', async () => {
    const client = test.client();
    const guess = async () => (await client.post('/auth/login', {})).status;
    for (let i = 0; i < 6; i += 1) await guess();
    proxy.cut();
    const refused = await timed(client.delete('/dev/state'));
    expect([refused.status, refused.body.code]).toEqual([503, 'service_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('2');
    proxy.restore();
    await until(async () => (await readiness()).status === 'ready');
    expect(await guess(), 'what Redis remembers').toBe(429);
    expect((await client.delete('/dev/state')).status).toBe(200);
    expect(await guess()).toBe(422);
  });
});
