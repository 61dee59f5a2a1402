import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RedisConnection } from '../../src/infrastructure/redis/index.js';
import { PASSWORD, type User } from '../support/personas.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const PASSWORD_OF_REDIS = 'of-redis';
/** Since it was found again; until then an instance believes none of it. */
const BELIEVED_AFTER_MS = 5_000;

const servers = [await startRedis(PASSWORD_OF_REDIS), await startRedis(PASSWORD_OF_REDIS)];

if (process.env['REQUIRE_REDIS'] && servers.includes(null)) throw new Error('redis-server did not start');

describe.skipIf(servers.includes(null))('When Redis', () => {
  const [first, second] = servers as [RedisServer, RedisServer];
  let proxy: TcpProxy;
  let one: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    proxy = await TcpProxy.before(first.url);
    one = await startTestApp({ env: { REDIS_URL: proxy.redisUrl } });
    other = await startTestApp({ beside: one, env: { REDIS_URL: proxy.redisUrl } });
  });
  afterAll(async () => {
    await other.close();
    await one.close();
    await proxy.close();
    await Promise.all([first.stop(), second.stop()]);
  });
  // The first is the primary, and both instances are connected to it.
  beforeEach(async () => {
    await makePrimary(first, second);
    proxy.leadTo(first.url);
    proxy.shake('closed');
    await bothAre('ready');
  });
  const believed = () => pause(BELIEVED_AFTER_MS);

  const profile = async (test: TestApp, { token }: User) =>
    (await test.client().get('/api/profile', { bearer: token, apiKey: API_KEY })).status;
  const logout = async (test: TestApp, { token, refresh_token }: User) =>
    (await test.client().post('/auth/logout', { refresh_token }, { bearer: token })).status;
  const login = async (test: TestApp, { registration }: User) =>
    (await test.client().post('/auth/login', { login: registration.username, password: PASSWORD })).status;
  const bothAre = (status: string) =>
    expect
      .poll(
        () =>
          Promise.all([one, other].map(async (test) => (await test.client().get('/health/ready')).body.data.status)),
        { timeout: 15_000 },
      )
      .toEqual([status, status]);

  it('becomes a replica behind a connection that stays, the new primary is found, and nobody is let in who left', async () => {
    await believed();
    const [stays, leaves] = [await one.personas.user(), await one.personas.user()];
    for (const user of [stays, leaves]) expect(await profile(other, user)).toBe(200);
    const warn = vi.spyOn(Logger.prototype, 'warn');

    await makePrimary(second, first);
    proxy.leadTo(second.url);
    expect(await logout(one, leaves)).toBe(200);
    expect(await profile(one, leaves)).toBe(401);
    await bothAre('ready');
    await expect.poll(() => profile(other, leaves)).toBe(401);
    expect(await profile(other, stays)).toBe(200);
    expect(await clientsOf(first), 'connections of the service').toBe(0);
    expect(await clientsOf(second)).toBe(2);
    const told = warn.mock.calls.filter(([line]) => String(line).startsWith('Redis is unavailable (READONLY'));
    expect([1, 2], 'once at most by each instance').toContain(told.length);
    warn.mockRestore();
  });

  it.each([0, 11])(
    'is replaced by one that lacks what it was told %i s ago, all of that is said again',
    async (agoS) => {
      await believed();
      const admin = await one.personas.admin();
      const [leaves, loses, last] = [await one.personas.user(), await one.personas.user(), await one.personas.user()];
      for (const user of [leaves, loses]) expect(await profile(other, user)).toBe(200);

      await second.send('REPLICAOF', 'NO', 'ONE');
      expect(await logout(one, leaves)).toBe(200);
      const deactivated = await one.client().request(`/api/users/${loses.userId}`, {
        method: 'PATCH',
        body: { status: 'inactive' },
        bearer: admin.token,
        apiKey: API_KEY,
      });
      expect(deactivated.status).toBe(200);
      await pause(agoS * 1000);
      expect(await logout(one, last)).toBe(200);
      await first.send('REPLICAOF', '127.0.0.1', String(second.port));
      proxy.leadTo(second.url);
      proxy.shake('closed');
      await bothAre('ready');
      await pause(BELIEVED_AFTER_MS);
      expect([await profile(other, leaves), await profile(other, loses)]).toEqual([401, 401]);
    },
  );

  it.each(['became a replica', 'is gone without a word'])(
    '%s, an instance that nobody asks says again what it said last',
    async (what) => {
      await believed();
      const leaves = await one.personas.user();
      expect(await profile(other, leaves)).toBe(200);
      await second.send('REPLICAOF', 'NO', 'ONE');
      expect(await logout(one, leaves)).toBe(200);
      proxy.leadTo(second.url);
      if (what === 'became a replica') await first.send('REPLICAOF', '127.0.0.1', String(second.port));
      else proxy.forsake();
      const end = performance.now() + 3 * BELIEVED_AFTER_MS;
      while (performance.now() < end) {
        expect(await profile(other, leaves)).toBe(401);
        await pause(50);
      }
    },
  );

  it('became a replica that lags, nobody is let in by the first answer that comes from it', async () => {
    await believed();
    const leaves = await one.personas.user();
    for (let i = 0; i < 2; i += 1) expect(await profile(other, leaves)).toBe(200);
    await second.send('REPLICAOF', 'NO', 'ONE');
    await first.send('CONFIG', 'SET', 'masterauth', 'wrong, so that it hears nothing');
    await first.send('REPLICAOF', '127.0.0.1', String(second.port));
    proxy.leadTo(second.url);
    expect(await logout(one, leaves)).toBe(200);
    expect(await profile(other, leaves)).toBe(401);
  });

  it('lacks what others have to hand on, an instance that starts does not believe it either', async () => {
    await believed();
    const leaves = await one.personas.user();
    expect(await profile(other, leaves)).toBe(200);
    const live = await recordsIn(first);
    expect(await logout(one, leaves)).toBe(200);
    for (const [key, value] of live) await first.send('SET', key, value, 'PX', '60000');
    await expect.poll(() => profile(other, leaves), { message: 'told of no outage', timeout: 5_000 }).toBe(200);
    const third = await startTestApp({
      beside: one,
      env: { REDIS_URL: first.url },
      adjust: (config) => ({ ...config, redis: { ...config.redis, isTrustedAtStart: false } }),
    });
    expect(await profile(third, leaves)).toBe(401);
    await third.close();
  });

  it('is away, a connection that is closed then leaves nothing behind, whatever it was waiting for', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket.resume());
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    for (const scheme of ['redis', 'rediss']) {
      const redis = await RedisConnection.open(`${scheme}://127.0.0.1:${port}`, 'closed:');
      expect(sockets.size).toBe(1);
      await redis.close();
      await expect.poll(() => sockets.size, { timeout: 500 }).toBe(0);
    }
    silent.close();
  });

  it('comes to an address that was silent, it is found before others believe what it says', async () => {
    const silent = await TcpProxy.before(first.url);
    silent.cut();
    const redis = await RedisConnection.open(silent.redisUrl, 'silent:');
    // Until the pauses are as long as they get.
    await pause(6_000);
    silent.restore();
    silent.freeze();
    await expect.poll(() => silent.connections, { timeout: 5_000, interval: 1 }).toBe(1);
    silent.forsake();
    const start = performance.now();
    await expect.poll(() => redis.isReady, { timeout: 10_000 }).toBe(true);
    expect(performance.now() - start).toBeLessThan(BELIEVED_AFTER_MS);
    await redis.close();
    await silent.close();
  });

  it('is full, it is out of use until it has room, and people go on', async () => {
    await believed();
    const [stays, leaves] = [await one.personas.user(), await one.personas.user()];
    for (const user of [stays, leaves]) expect(await profile(other, user)).toBe(200);
    const log = vi.spyOn(Logger.prototype, 'log');

    await first.send('CONFIG', 'SET', 'maxmemory', '1');
    await bothAre('degraded');
    expect(await login(one, stays)).toBe(200);
    expect(await logout(one, leaves)).toBe(200);
    expect(await profile(other, leaves)).toBe(401);
    const client = one.client();
    const statuses = [];
    for (let i = 0; i < 7; i += 1) statuses.push((await client.post('/auth/login', {})).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429]);
    expect(
      log.mock.calls.filter(([line]) => line === 'Redis is back'),
      'though it can be read',
    ).toEqual([]);
    log.mockRestore();

    await first.send('CONFIG', 'SET', 'maxmemory', '0');
    await bothAre('ready');
    expect(await profile(other, leaves)).toBe(401);
    expect(await profile(other, stays)).toBe(200);
  });

  it('takes a connection and never answers to its password, another one is made', async () => {
    proxy.freeze();
    proxy.shake('closed');
    await bothAre('degraded');
    // Long enough for both to be connected to what is silent.
    await pause(500);
    proxy.forsake();
    await bothAre('ready');
    expect(proxy.connections).toBe(2);
  });

  it('no longer accepts the password, it is out of use, and found again once it does', async () => {
    const user = await one.personas.user();
    const warn = vi.spyOn(Logger.prototype, 'warn');
    await first.send('CONFIG', 'SET', 'requirepass', 'changed');
    proxy.shake('reset');
    await bothAre('degraded');
    expect(await login(one, user)).toBe(200);
    // By each instance, behind the reason for which the connection broke: the one that somebody has to do something about.
    const told = () => warn.mock.calls.filter(([line]) => String(line).startsWith('Redis is unavailable (WRONGPASS'));
    await expect.poll(() => told().length, { timeout: 15_000 }).toBe(2);
    await pause(500);
    expect(told().length).toBe(2);
    warn.mockRestore();
    await first.send('CONFIG', 'SET', 'requirepass', PASSWORD_OF_REDIS);
    await bothAre('ready');
  });

  it('has an address of IPv6, it is found', async ({ skip }) => {
    const isThere = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
    if (!isThere) skip('This machine has no IPv6');
    const redis = await RedisConnection.open(first.url.replace('127.0.0.1', '[::1]'), 'six:');
    expect(redis.isReady).toBe(true);
    await redis.close();
  });

  it('allows the service what the documentation asks for and no more, that is enough', async () => {
    const documentation = readFileSync('docs/scale.md', 'utf8');
    const [, rights] = /resetkeys ~accounts:\* (-@all [^`]+)`/.exec(documentation) ?? [];
    await first.send(
      'ACL',
      'SETUSER',
      'accounts',
      'on',
      '>of-accounts',
      'resetkeys',
      '~accounts:*',
      ...String(rights).split(' '),
    );
    const env = { REDIS_URL: `redis://accounts:of-accounts@127.0.0.1:${first.port}`, REDIS_KEY_PREFIX: 'accounts:' };
    const test = await startTestApp({ beside: one, env });
    const user = await test.personas.user();
    expect(
      (await test.client().post('/auth/login', { login: user.registration.username, password: 'Wrong-one1$' })).status,
    ).toBe(401);
    expect(await profile(test, user)).toBe(200);
    expect(await logout(test, user)).toBe(200);
    expect(await profile(test, user)).toBe(401);
    expect((await test.client().get('/health/ready')).body.data.status).toBe('ready');
    const { text } = await test.client().get('/metrics');
    expect(text, 'nothing was refused').toMatch(/^redis_fallbacks_total 0$/m);
    await test.close();
  });
});

async function makePrimary(primary: RedisServer, replica: RedisServer): Promise<void> {
  await primary.send('REPLICAOF', 'NO', 'ONE');
  for (const server of [primary, replica]) await server.send('CONFIG', 'SET', 'masterauth', PASSWORD_OF_REDIS);
  await replica.send('REPLICAOF', '127.0.0.1', String(primary.port));
  await expect
    .poll(async () => String(await replica.send('INFO', 'replication')), { timeout: 10_000 })
    .toContain('master_link_status:up');
}

async function recordsIn(server: RedisServer): Promise<[string, string][]> {
  const keys = (await server.send('KEYS', '*')) as string[];
  const records = keys.filter((key) => /^(session|user):/.test(key));
  const values = (await server.send('MGET', ...records)) as string[];
  return records.map((key, place) => [key, values[place] as string]);
}

/** Beside whoever asks. */
async function clientsOf(server: RedisServer): Promise<number> {
  const list = String(await server.send('CLIENT', 'LIST', 'TYPE', 'normal'));
  return list.trim().split('\n').length - 1;
}
