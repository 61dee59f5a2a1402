import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REDIS, type RedisConnection } from '../../src/infrastructure/redis/index.js';
import { ApiKeys } from '../../src/security/index.js';
import { redisUrl } from '../support/backends.js';
import { PASSWORD } from '../support/personas.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe.skipIf(!redisUrl())('The cached authentication record in Redis', () => {
  let test: TestApp;
  let redis: RedisConnection;
  beforeAll(async () => {
    test = await startTestApp({ redis: true });
    redis = test.app.get<RedisConnection>(REDIS);
  });
  afterAll(() => test.close());

  const keyOf = (userId: string) => redis.key(`user:auth:${userId}`);
  const profile = (bearer: string) => test.client().get('/api/profile', { bearer, apiKey: API_KEY });

  it('is there after a login: exactly user and auth, for an hour', async () => {
    const user = await test.personas.user();
    const { username, email } = user.registration;
    expect(JSON.parse((await redis.client.get(keyOf(user.userId))) as string)).toEqual({
      user: { _id: user.userId, last_name: 'Lovelace', first_name: 'Ada', username, email },
      auth: {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        role: null,
        confirmed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    });
    const ttl = await redis.client.ttl(keyOf(user.userId));
    expect(ttl).toBeGreaterThan(3_590);
    expect(ttl).toBeLessThanOrEqual(3_600);
  });

  it('comes in one round trip together with the limit, for configured keys and for issued ones', async () => {
    const proxy = await TcpProxy.before(redisUrl() as string);
    const proxied = await startTestApp({ redis: true, env: { REDIS_URL: proxy.redisUrl } });
    try {
      const { token } = await proxied.personas.user();
      const issued = await proxied.app.get(ApiKeys).issue('round-trips');
      for (const apiKey of [API_KEY, issued.key]) {
        const read = () => proxied.client().get('/api/profile', { bearer: token, apiKey });
        // The first one verifies the token, and fills the cache.
        expect((await read()).status).toBe(200);
        let sent = 0;
        proxy.judge = (chunk) => {
          // Sent each second by itself.
          if (!chunk.includes('sign-of-life')) sent += 1;
          return 'pass';
        };
        expect((await read()).status).toBe(200);
        expect(sent).toBe(1);
      }
    } finally {
      await proxied.close();
      await proxy.close();
    }
  });

  it('is filled again from storage after a miss', async () => {
    const user = await test.personas.user();
    await redis.client.del(keyOf(user.userId));
    expect((await profile(user.token)).status).toBe(200);
    expect(await redis.client.get(keyOf(user.userId))).toContain(user.registration.email);
  });

  it('is gone after a change of role or status', async () => {
    const admin = await test.personas.admin();
    const { userId } = await test.personas.user();
    for (const body of [{ role: 'admin' }, { status: 'inactive' }, { status: 'active' }]) {
      await redis.client.set(keyOf(userId), '{}');
      const path = `/api/users/${userId}`;
      expect((await test.client().patch(path, body, { apiKey: API_KEY, bearer: admin.token })).status).toBe(200);
      expect(await redis.client.exists(keyOf(userId)), JSON.stringify(body)).toBe(0);
    }
  });

  it('is gone after a confirmation and a deletion', async () => {
    const admin = await test.personas.admin();
    const { registration, client } = await test.personas.visitor();
    const { email } = registration;
    const userId = String((await test.database.collection('users').findOne({ email }))?._id);
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    for (const change of [
      () => client.post('/auth/verify-otp', { email, otp }),
      () => test.client().delete(`/api/users/${userId}`, { apiKey: API_KEY, bearer: admin.token }),
    ]) {
      await redis.client.set(keyOf(userId), '{}');
      expect((await change()).status).toBe(200);
      expect(await redis.client.exists(keyOf(userId))).toBe(0);
    }
  });

  it('is gone after logout, reset and its-not-me', async () => {
    const loggedOut = await test.personas.user();
    await test.client().post('/auth/logout', { refresh_token: loggedOut.refresh_token }, { bearer: loggedOut.token });
    expect(await redis.client.exists(keyOf(loggedOut.userId))).toBe(0);

    const reported = await test.personas.user();
    await test.client().post('/auth/its-not-me', { refresh_token: reported.refresh_token }, { bearer: reported.token });
    expect(await redis.client.exists(keyOf(reported.userId))).toBe(0);

    const reset = await test.personas.user();
    await test.client().post('/auth/forgot-password', { email: reset.registration.email });
    const { token } = await test.inbox.waitFor(reset.registration.email, 'password-reset');
    const password = 'Brand-new2$';
    await test.client().post('/auth/reset-password', { token, password, password_confirmation: password });
    expect(await redis.client.exists(keyOf(reset.userId))).toBe(0);
  });

  it('is a miss when it is damaged or somebody else’s', async () => {
    const ada = await test.personas.user();
    const eve = await test.personas.user();
    const ofEve = (await redis.client.get(keyOf(eve.userId))) as string;
    const ofAda = JSON.parse((await redis.client.get(keyOf(ada.userId))) as string) as Record<string, object>;
    const withoutName = JSON.stringify({ ...ofAda, user: { ...ofAda['user'], username: undefined } });
    const withoutRole = JSON.stringify({ ...ofAda, auth: { ...ofAda['auth'], role: undefined } });
    for (const value of ['not json', '{"user":1}', 'null', '[]', '"x"', ofEve, withoutName, withoutRole]) {
      await redis.client.set(keyOf(ada.userId), value);
      const { status, body } = await profile(ada.token);
      expect(status, value).toBe(200);
      expect(body.data).toMatchObject({ _id: ada.userId, username: ada.registration.username });
      expect(JSON.parse((await redis.client.get(keyOf(ada.userId))) as string), value).toEqual(ofAda);
    }
    const sound = (await profile(ada.token)).text;
    for (const value of ['not json', '{}', '{"created_at":1,"updated_at":1}', 'null']) {
      await redis.client.set(redis.key(`user:dates:${ada.userId}`), value);
      expect((await profile(ada.token)).text, value).toBe(sound);
    }
  });

  it('of an issued key, whose digest is none, is a miss', async () => {
    const user = await test.personas.user();
    const { key, stored } = await test.app.get(ApiKeys).issue('damaged');
    const ask = () => test.client().get('/api/profile', { bearer: user.token, apiKey: key });
    expect((await ask()).status).toBe(200);
    const name = redis.key(`api-key:${stored._id.toHexString()}`);
    const record = JSON.parse((await redis.client.get(name)) as string) as object;
    await redis.client.set(name, JSON.stringify({ ...record, digest: 'z'.repeat(64) }));
    expect((await ask()).status).toBe(200);
  });

  it('stands beside sessions and issued keys, which are looked up again after a minute', async () => {
    const user = await test.personas.user();
    const issued = await test.app.get(ApiKeys).issue('looked-up');
    expect((await test.client().get('/api/profile', { bearer: user.token, apiKey: issued.key })).status).toBe(200);
    const { sid } = JSON.parse(Buffer.from(user.token.split('.')[1] as string, 'base64url').toString()) as {
      sid: string;
    };
    for (const name of [`session:${sid}`, `api-key:${issued.stored._id.toHexString()}`]) {
      const ttl = await redis.client.pTTL(redis.key(name));
      expect(ttl, name).toBeGreaterThan(0);
      expect(ttl, name).toBeLessThanOrEqual(60_000);
    }
  });

  it('does not keep an ended session alive, not even after the cache is lost', async () => {
    const user = await test.personas.user();
    expect((await profile(user.token)).status).toBe(200);
    await test.client().post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token });
    expect((await profile(user.token)).body.code).toBe('logged_out');
    for (const pattern of ['session:*', 'user:auth:*', 'fence:*']) {
      for await (const key of redis.client.scanIterator({ MATCH: redis.key(pattern) })) await redis.client.del(key);
    }
    expect((await profile(user.token)).body.code).toBe('logged_out');
  });

  it('holds for a second instance at once', async () => {
    const second = await startTestApp({ beside: test });
    try {
      for (let round = 0; round < 20; round += 1) {
        const user = await test.personas.user();
        const there = () => second.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY });
        expect((await there()).status).toBe(200);
        await test.client().post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token });
        expect((await there()).body.code).toBe('logged_out');
      }
    } finally {
      await second.close();
    }
  });

  it('shares the limits with a second instance', async () => {
    const second = await startTestApp({ beside: test });
    try {
      const address = test.client().address;
      const clients = [test.client(address), second.client(address)];
      const wrong = { login: 'nobody', password: PASSWORD };
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, i) => clients[i % 2]?.post('/auth/login', wrong)),
      );
      expect(answers.filter((answer) => answer?.status !== 429).length).toBe(5);
    } finally {
      await second.close();
    }
  });
});
