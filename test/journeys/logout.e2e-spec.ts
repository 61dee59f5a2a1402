import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/security/index.js';
import { MINUTE } from '../support/manual-clock.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('Logout', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const logout = (bearer: string | undefined, body: unknown) => test.client().post('/auth/logout', body, { bearer });
  const profile = async (bearer: string) =>
    (await test.client().get('/api/profile', { bearer, apiKey: API_KEY })).status;
  const refresh = (refresh_token: string) => test.client().post('/auth/refresh-token', { refresh_token });

  it('ends the session at once, and no other', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    expect(await profile(user.token)).toBe(200);
    const { status, body } = await logout(user.token, { refresh_token: user.refresh_token });
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    expect(await profile(user.token)).toBe(401);
    expect((await refresh(user.refresh_token)).body.code).toBe('logged_out');
    expect(await profile(other.token)).toBe(200);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  it('is known to who asks next, however many are being told of the session meanwhile', async () => {
    const authenticator = test.app.get(Authenticator);
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const ask = async () => {
        await authenticator.forgetAccount(user.userId);
        return profile(user.token);
      };
      const meanwhile = Array.from({ length: 20 }, ask);
      const out = logout(user.token, { refresh_token: user.refresh_token });
      meanwhile.push(...Array.from({ length: 20 }, ask));
      expect((await out).status).toBe(200);
      const after = await Promise.all(Array.from({ length: 10 }, ask));
      expect(new Set(after)).toEqual(new Set([401]));
      await Promise.all(meanwhile);
    }
  });

  it('deletes the login-history entry', async () => {
    const user = await test.personas.user();
    const { _id } = (await test.database.collection('users').findOne({ username: user.registration.username })) ?? {};
    expect(await test.database.collection('login_histories').countDocuments({ user: _id })).toBe(1);
    const [entry] = await test.database.collection('login_histories').find({ user: _id }).toArray();
    await logout(user.token, { refresh_token: user.refresh_token });
    expect(await test.database.collection('login_histories').countDocuments({ user: _id })).toBe(0);
    // Why it ended is known for as long as its refresh token would have been good.
    const ended = test.database.collection('ended_sessions');
    const end = await ended.findOne({ _id: entry?._id });
    expect(Math.round((end?.purge_at - test.clock.nowMs()) / MINUTE)).toBe(7 * 24 * 60);
    expect(await ended.indexes()).toContainEqual(
      expect.objectContaining({ key: { purge_at: 1 }, expireAfterSeconds: 0 }),
    );
  });

  it('ends all sessions when asked to', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    const { status } = await logout(user.token, { refresh_token: user.refresh_token, all_sessions: true });
    expect(status).toBe(200);
    expect(await profile(other.token)).toBe(401);
    expect((await refresh(other.refresh_token)).body.code).toBe('logged_out');
  });

  it('takes only true and false for all_sessions', async () => {
    const user = await test.personas.user();
    for (const all_sessions of ['true', 1, 'false', {}]) {
      const { status, body } = await logout(user.token, { refresh_token: user.refresh_token, all_sessions });
      expect(status).toBe(422);
      expect(body.errors[0].field).toBe('all_sessions');
    }
    expect(await profile(user.token)).toBe(200);
  });

  it('takes a refresh token that has expired, as long as the bearer is good', async () => {
    const brief = await startTestApp({
      adjust: (config) => ({ ...config, tokens: { ...config.tokens, refreshTtlMs: MINUTE } }),
    });
    try {
      const { client, token: bearer, refresh_token } = await brief.personas.user();
      brief.clock.advance(2 * MINUTE);
      expect((await client.post('/auth/refresh-token', { refresh_token })).body.code).toBe('token_expired');
      expect((await client.post('/auth/logout', { refresh_token }, { bearer })).status).toBe(200);
      expect((await client.get('/api/profile', { bearer, apiKey: API_KEY })).body.code).toBe('logged_out');
    } finally {
      await brief.close();
    }
  });

  it('is refused the second time', async () => {
    const user = await test.personas.user();
    await logout(user.token, { refresh_token: user.refresh_token });
    const { status, body } = await logout(user.token, { refresh_token: user.refresh_token });
    expect(status).toBe(401);
    expect(body).toEqual({
      status_code: 401,
      status: 'ERROR',
      code: 'logged_out',
      message: 'Invalid or expired token',
    });
  });

  it('needs a bearer token', async () => {
    const user = await test.personas.user();
    const { status, body, headers } = await logout(undefined, { refresh_token: user.refresh_token });
    expect(status).toBe(401);
    expect(body).toEqual({
      status_code: 401,
      status: 'ERROR',
      code: 'authentication_required',
      message: 'Authentication required',
    });
    expect(headers.get('www-authenticate')).toBe('Bearer realm="account-service"');
    expect(await profile(user.token)).toBe(200);
  });

  it('refuses a refresh token of another session or another user, and ends nothing', async () => {
    const ada = await test.personas.user();
    const elsewhere = await test.personas.login(ada);
    const eve = await test.personas.user();
    for (const refresh_token of [eve.refresh_token, elsewhere.refresh_token, 'garbage']) {
      const { status, body } = await logout(ada.token, { refresh_token });
      expect(status).toBe(401);
      expect(body.code).toBe('token_invalid');
    }
    expect((await logout(ada.token, {})).status).toBe(422);
    for (const { token } of [ada, elsewhere, eve]) expect(await profile(token)).toBe(200);
  });

  it('wins or loses against a refresh at the same moment, but leaves no token that works', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const [ended, refreshed] = await Promise.all([
        logout(user.token, { refresh_token: user.refresh_token }),
        refresh(user.refresh_token),
      ]);
      expect(ended.status).toBe(200);
      expect([200, 401]).toContain(refreshed.status);
      expect(await profile(user.token)).toBe(401);
      if (refreshed.status === 200) {
        expect(await profile(refreshed.body.data.token)).toBe(401);
        expect((await refresh(refreshed.body.data.refresh_token)).status).toBe(401);
      }
    }
  });
});
