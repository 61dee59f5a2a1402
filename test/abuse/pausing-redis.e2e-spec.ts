import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { REDIS, type RedisConnection } from '../../src/infrastructure/redis/index.js';
import type { User } from '../support/personas.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

/** Since it was found again; until then an instance believes none of it. */
const BELIEVED_AFTER_MS = 5_000;
const USERS = 5;

const server = await startRedis();

if (process.env['REQUIRE_REDIS'] && !server) throw new Error('redis-server did not start');

describe.skipIf(!server)('A Redis that pauses for all', () => {
  const redis = server as RedisServer;
  let one: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    const env = { REDIS_URL: redis.url };
    one = await startTestApp({ env });
    other = await startTestApp({ beside: one, env });
  });
  afterAll(async () => {
    await other.close();
    await one.close();
    await redis.stop();
  });

  const profile = async ({ token }: User) =>
    (await other.client().get('/api/profile', { bearer: token, apiKey: API_KEY })).status;

  /** Each second one: after it, a pause of less goes unnoticed. */
  const heartbeat = async ({ app }: TestApp) => {
    const ping = vi.spyOn(app.get<RedisConnection>(REDIS, { strict: false }), 'ping');
    await expect.poll(() => ping.mock.results.length, { timeout: 5_000, interval: 5 }).toBe(1);
    expect(await ping.mock.results[0]?.value).toBe(true);
    ping.mockRestore();
  };

  it.each([600, 700, 800])(
    'for %i ms does not tell an instance that noticed nothing of sessions that have ended',
    async (ms) => {
      await pause(BELIEVED_AFTER_MS);
      const users = await Promise.all(Array.from({ length: USERS }, () => one.personas.user()));
      for (const user of users) expect(await profile(user)).toBe(200);
      await heartbeat(other);
      redis.pause(ms);
      const statuses = users.map(async (user) => {
        const { token, refresh_token } = user;
        const { status } = await one.client().post('/auth/logout', { refresh_token }, { bearer: token });
        return [status, await profile(user)];
      });
      expect(await Promise.all(statuses)).toEqual(users.map(() => [200, 401]));
    },
  );
});
