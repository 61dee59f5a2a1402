import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SessionsRepository } from '../../src/login-history/index.js';
import { Authenticator, SessionReader } from '../../src/security/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { decodeToken } from '../support/forged-token.js';
import { HOUR } from '../support/manual-clock.js';
import { PASSWORD, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('Profile', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('is read from storage a few times, however many ask for it at once', async () => {
    const user = await test.personas.user();
    const { id, sid } = decodeToken(user.token)[1] as { id: string; sid: string };
    const reads = vi.spyOn(test.app.get(SessionReader, { strict: false }), 'readSession');
    const authenticator = test.app.get(Authenticator);
    await authenticator.forgetAccount(id);
    const principals = await Promise.all(Array.from({ length: 500 }, () => authenticator.authenticate({ id, sid })));
    expect(new Set(principals.map(({ sessionId }) => sessionId))).toEqual(new Set([sid]));
    expect(new Set(principals).size, 'none is somebody else’s').toBe(500);
    expect(reads.mock.calls.length).toBeGreaterThan(0);
    expect(reads.mock.calls.length).toBeLessThan(4);
    reads.mockRestore();
  });

  it('is read for one’s other session apart, which may have ended, though both ask at once', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    const [own, ended] = [user, other].map(({ token }) => decodeToken(token)[1] as { id: string; sid: string });
    await test.app.get(SessionsRepository, { strict: false }).withdraw(ended!.sid);
    const authenticator = test.app.get(Authenticator);
    // Without its record, the cache lets nobody in.
    await authenticator.forgetAccount(own!.id);
    const asked = [own!, own!, ended!, own!].map((claims) => authenticator.authenticate(claims));
    const outcomes = (await Promise.allSettled(asked)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('shows one’s own account, with API key and bearer', async () => {
    const user = await test.personas.user();
    const { status, body } = await user.client.get('/api/profile', { bearer: user.token, apiKey: API_KEY });
    expect(status).toBe(200);
    expect(body).toEqual({
      error: false,
      message: expect.any(String),
      data: {
        _id: user.userId,
        username: user.registration.username,
        email: user.registration.email,
        last_name: 'Lovelace',
        first_name: 'Ada',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        deleted_at: null,
      },
    });
  });

  it('needs both the API key and the bearer', async () => {
    const user = await test.personas.user();
    const keyOnly = await user.client.get('/api/profile', { apiKey: API_KEY });
    expect(keyOnly.status).toBe(401);
    expect(keyOnly.body).toEqual({
      error: true,
      code: 'authentication_required',
      message: 'Authentication required',
      data: null,
    });
    for (const apiKey of [undefined, 'wrong', `${API_KEY}x`, API_KEY.slice(0, -1), API_KEY.toUpperCase()]) {
      const { status, body, headers } = await user.client.get('/api/profile', { bearer: user.token, apiKey });
      expect(status, apiKey).toBe(401);
      expect(body).toEqual({ error: true, code: 'invalid_api_key', message: 'Invalid API key', data: null });
      expect(headers.get('www-authenticate')).toMatch(/^ApiKey /);
    }
  });

  it('takes the token from the header alone', async () => {
    const user = await test.personas.user();
    const paths = [`/api/profile?access_token=${user.token}`, `/api/profile?token=${user.token}`];
    for (const path of paths) expect((await user.client.get(path, { apiKey: API_KEY })).status).toBe(401);
    for (const authorization of [
      `Basic ${user.token}`,
      'Bearer',
      'Bearer ',
      `Bearer a ${user.token}`,
      `Token ${user.token}`,
    ]) {
      const { status } = await user.client.get('/api/profile', { apiKey: API_KEY, headers: { authorization } });
      expect(status, authorization).toBe(401);
    }
    const lower = await user.client.get('/api/profile', {
      apiKey: API_KEY,
      headers: { authorization: `bearer  ${user.token}` },
    });
    expect(lower.status).toBe(200);
  });

  it('guards HEAD like GET', async () => {
    const user = await test.personas.user();
    const refused = await user.client.request('/api/profile', { method: 'HEAD' });
    expect(refused.status).toBe(401);
    const served = await user.client.request('/api/profile', { method: 'HEAD', bearer: user.token, apiKey: API_KEY });
    expect(served.status).toBe(200);
  });

  it('refuses everybody while no key is configured', async () => {
    const keyless = await startTestApp({ adjust: (config) => ({ ...config, apiKeys: [] }) });
    try {
      const { status, body } = await keyless.client().get('/api/profile', { bearer: 'x', apiKey: '' });
      expect(status).toBe(401);
      expect(body.code).toBe('invalid_api_key');
    } finally {
      await keyless.close();
    }
  });
});

describe('One’s own profile', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const change = (user: User, body: unknown) =>
    test.client().request('/api/profile', { method: 'PATCH', body, apiKey: API_KEY, bearer: user.token });

  it('can be changed in part, and logs in under its new name', async () => {
    const user = await test.personas.user();
    const read = async () =>
      (await test.client().get('/api/profile', { apiKey: API_KEY, bearer: user.token })).body.data;
    const before = await read();
    const username = `${user.registration.username}_X`;
    test.clock.advance(1_000);
    const { status, body } = await change(user, { first_name: 'Augusta', username });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ first_name: 'Augusta', last_name: 'Lovelace', username });
    expect(Date.parse(body.data.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect(await read()).toEqual(body.data);
    const login = await test.client().post('/auth/login', { login: username.toLowerCase(), password: PASSWORD });
    expect(login.body.data.user).toMatchObject({ username, first_name: 'Augusta' });
    expect(
      (await test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD })).status,
    ).toBe(401);
    test.clock.advance(1_000);
    const nothing = await change(user, {});
    expect([nothing.status, nothing.body.data]).toEqual([200, body.data]);
    expect(await read()).toEqual(body.data);
  });

  it('tells when it was last changed, also by a confirmation or an administrator', async () => {
    const { client, registration } = await test.personas.visitor();
    const { email } = registration;
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    const { api } = await test.personas.admin();
    const stored = await test.database.collection('users').findOne({ email });
    const path = `/api/users/${String(stored?._id)}`;
    const changes = {
      confirmed: () => client.post('/auth/verify-otp', { email, otp }),
      disabled: () => api.patch(path, { status: 'inactive' }),
      enabled: () => api.patch(path, { status: 'active' }),
      deleted: () => api.delete(path),
      restored: () => api.post(`${path}/restore`),
    };
    for (const [what, change] of Object.entries(changes)) {
      test.clock.advance(1_000);
      const before = test.clock.nowMs();
      expect((await change()).status, what).toBe(200);
      const { updated_at } = (await api.get(path)).body.data;
      expect(Date.parse(updated_at), what).toBeGreaterThanOrEqual(before);
    }
  });

  it('is not renamed without an event, and a mail to the owner', async () => {
    const user = await test.personas.user();
    const { username, email } = user.registration;
    const of = { user: new Types.ObjectId(user.userId), kind: 'user_updated' };
    const events = () => test.database.collection('security_events').find(of).toArray();
    const mails = () => test.database.collection('mails').countDocuments({ to: email, kind: 'username-changed' });
    const other = await test.personas.user();
    const unchanged = [{ username }, { first_name: 'Augusta' }, { username: other.registration.username }];
    for (const body of unchanged) await change(user, body);
    expect([await events(), await mails()]).toEqual([[], 0]);
    expect((await change(user, { username: `${username}_x`, first_name: 'Ada' })).status).toBe(200);
    expect(await events()).toMatchObject([{ outcome: 'success', by: of.user, detail: 'username' }]);
    const { text, html } = await test.inbox.waitFor(email, 'username-changed');
    for (const part of [text, html]) {
      expect(part).toContain('/forgot-password');
      expect(part).not.toContain(username);
    }
    expect(await mails()).toBe(1);
  });

  it('is renamed twenty times an hour, tries for names that are taken included, and goes on with the name that it has', async () => {
    const [user, other, third] = [await test.personas.user(), await test.personas.user(), await test.personas.user()];
    const { username } = user.registration;
    const taken = { username: other.registration.username };
    for (let count = 0; count < 20; count += 1)
      expect((await change(user, count % 2 ? taken : { username: `${username}_${count}` })).status).toBe(
        count % 2 ? 422 : 200,
      );
    const refused = await change(user, taken);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    expect((await change(user, { username: `${username}_18`, first_name: 'Augusta' })).status).toBe(200);
    expect((await change(third, { username: `${third.registration.username}_x` })).status).toBe(200);
    await test.advance(HOUR);
    const login = { login: `${username}_18`, password: PASSWORD };
    const { token } = (await test.client().post('/auth/login', login)).body.data;
    expect((await change({ ...user, token }, { username })).status).toBe(200);
  });

  it('is shown as it was changed, though a slow request had read it before', async () => {
    const user = await test.personas.user();
    const accounts = test.app.get(AccountsRepository, { strict: false });
    const findById = accounts.findById.bind(accounts);
    const read = () => test.client().get('/api/profile', { apiKey: API_KEY, bearer: user.token });
    const readers = {
      Augusta: () => test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD }),
      // Not cached any more since the change before.
      Byron: read,
    };
    for (const [first_name, reader] of Object.entries(readers)) {
      let changed: unknown;
      accounts.findById = async (id) => {
        accounts.findById = findById;
        const found = await findById(id);
        test.clock.advance(1_000);
        changed = (await change(user, { first_name })).body.data;
        expect((await read()).body.data).toEqual(changed);
        return found;
      };
      expect((await reader()).status).toBe(200);
      expect((await read()).body.data).toEqual(changed);
      expect((await change(user, { last_name: 'King' })).status).toBe(200);
    }
  });

  it('cannot take a name that is taken, nor fields that are not its own', async () => {
    const user = await test.personas.user();
    const other = await test.personas.user();
    const taken = await change(user, { username: other.registration.username.toUpperCase() });
    expect(taken.body.errors).toEqual([{ field: 'username', message: 'username is already taken' }]);
    for (const body of [
      { first_name: null },
      { first_name: 'A' },
      { username: 'a b' },
      { email: 'x@example.com' },
      { role: 'admin' },
      { _id: 'x' },
    ]) {
      expect((await change(user, body)).status, JSON.stringify(body)).toBe(422);
    }
  });
});
