import { randomBytes } from 'node:crypto';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PasswordHasher } from '../../src/security/index.js';
import { AccountAnnouncements } from '../../src/users/index.js';
import { PASSWORD, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('Administration', () => {
  let test: TestApp;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { RATE_LIMIT: '100000' } });
    admin = await test.personas.admin();
  });
  afterAll(() => test.close());

  const as = (bearer: string) => ({
    get: (path: string) => test.client().get(path, { apiKey: API_KEY, bearer }),
    send: (method: string, path: string, body?: unknown) =>
      test.client().request(path, { method, body, apiKey: API_KEY, bearer }),
  });
  const asAdmin = () => as(admin.token);
  const profile = (bearer: string) => as(bearer).get('/api/profile');

  it('finds accounts by the beginning of their names, taken literally', async () => {
    const user = await test.personas.user();
    const { username, email } = user.registration;
    for (const search of [username, username.toUpperCase(), username.slice(0, 8), email, ` ${email}\n`]) {
      const { status, body } = await asAdmin().get(`/api/users?search=${encodeURIComponent(search)}`);
      expect(status).toBe(200);
      expect(body.data.content).toContainEqual({
        _id: user.userId,
        username,
        email,
        last_name: 'Lovelace',
        first_name: 'Ada',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted_at: null,
        status: 'active',
        role: null,
        confirmed_at: expect.any(String),
        disabled_at: null,
        password_reset_required: false,
      });
    }
    for (const search of ['.*', '^', '(a+)+$', '[', '\\', '$', username.slice(1)]) {
      const { status, body } = await asAdmin().get(`/api/users?search=${encodeURIComponent(search)}`);
      expect(status, search).toBe(200);
      expect(body.data.content, search).toEqual([]);
    }
  });

  it('finds those whose username begins so first, then those whose address does, page by page', async () => {
    const mark = `zq${randomBytes(4).toString('hex')}`;
    const people = [
      { username: `${mark}_b`, email: `${mark}_b@example.com` },
      { username: `${mark}_a`, email: `other_${mark}@example.com` },
      { username: `x_${mark}_1`, email: `${mark}_d@example.com` },
      { username: `x_${mark}_2`, email: `${mark}_C@example.com` },
    ];
    for (const person of people) await test.personas.visitor(person);
    const list = async (query: string) => (await asAdmin().get(`/api/users?search=${mark}&${query}`)).body.data;
    const expected = [`${mark}_a`, `${mark}_b`, `x_${mark}_2`, `x_${mark}_1`];
    for (const limit of [1, 2, 3, 4, 5]) {
      const found: string[] = [];
      for (let page = 1, hasNextPage = true; hasNextPage; page += 1) {
        const { content, pagination } = await list(`limit=${limit}&page=${page}`);
        found.push(...content.map(({ username }: { username: string }) => username));
        expect(pagination).toMatchObject({ total: 4, totalPages: Math.ceil(4 / limit) });
        ({ hasNextPage } = pagination);
      }
      expect(found).toEqual(expected);
    }
    expect((await list('limit=2&page=9')).pagination).toMatchObject({ total: 4, hasNextPage: false });
    expect((await list('status=active')).pagination.total).toBe(0);
    expect((await list('status=pending')).pagination.total).toBe(4);
  });

  it('lists accounts in pages, by status', async () => {
    const pending = await test.personas.visitor();
    const { body } = await asAdmin().get('/api/users?limit=2&page=1');
    expect(body.data.content).toHaveLength(2);
    expect(body.data.pagination).toMatchObject({ page: 1, limit: 2, hasPrevPage: false, hasNextPage: true });
    const waiting = (await asAdmin().get('/api/users?status=pending')).body.data.content as Record<string, string>[];
    expect(waiting.map(({ username }) => username)).toContain(pending.registration.username);
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['pending']));
    for (const [query, message] of [
      ['page=abc', 'page must be a whole number'],
      ['page=1&page=2', 'page must be a whole number'],
      ['limit=1.5', 'limit must be a whole number'],
      ['page=-1', 'page must be 1 or more'],
      ['limit=101', 'limit must be at most 100'],
    ]) {
      expect((await asAdmin().get(`/api/users?${query}`)).body.errors[0].message, query).toBe(message);
    }
    for (const query of ['limit=101', 'limit=0', 'status=nothing', 'search=', 'search[$ne]=x', 'page=1e1', 'page=01']) {
      expect((await asAdmin().get(`/api/users?${query}`)).status, query).toBe(422);
    }
  });

  it('disables an account: its sessions end at once, and it logs in no more until it is enabled', async () => {
    const user = await test.personas.user();
    expect((await profile(user.token)).status).toBe(200);
    const disabled = await asAdmin().send('PATCH', `/api/users/${user.userId}`, { status: 'inactive' });
    expect(disabled.body.data).toMatchObject({ status: 'inactive', disabled_at: expect.any(String), deleted_at: null });
    expect((await profile(user.token)).body.code).toBe('account_disabled');
    const refreshed = await test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token });
    expect([refreshed.status, refreshed.body.code]).toEqual([401, 'account_disabled']);
    const login = () => test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD });
    expect((await login()).body.code).toBe('invalid_credentials');

    const enabled = await asAdmin().send('PATCH', `/api/users/${user.userId}`, { status: 'active' });
    expect(enabled.body.data.status).toBe('active');
    expect((await profile(user.token)).status, 'a session of before stays dead').toBe(401);
    expect((await login()).status).toBe(200);
  });

  it('lets nobody in whose login was under way when the account was disabled, though it is enabled again', async () => {
    const { userId, registration } = await test.personas.user();
    const hasher = test.app.get(PasswordHasher, { strict: false });
    const verify = hasher.verify.bind(hasher);
    hasher.verify = async (...passwords) => {
      const isRight = await verify(...passwords);
      for (const status of ['inactive', 'active']) await asAdmin().send('PATCH', `/api/users/${userId}`, { status });
      return isRight;
    };
    const login = () => test.client().post('/auth/login', { login: registration.username, password: PASSWORD });
    expect((await login()).body.code).toBe('invalid_credentials');
    hasher.verify = verify;
    expect((await login()).status).toBe(200);
  });

  it('leaves an account that is enabled as it was: one whose address is not confirmed still waits for that', async () => {
    const { registration } = await test.personas.visitor();
    const user = await test.database.collection('users').findOne({ username: registration.username });
    const change = async (status: string) =>
      (await asAdmin().send('PATCH', `/api/users/${String(user?._id)}`, { status })).body.data.status;
    expect([await change('inactive'), await change('active')]).toEqual(['inactive', 'pending']);
  });

  it('refuses to make an account active, or an administrator’s, that is not confirmed, or deleted, and then changes nothing', async () => {
    const { registration } = await test.personas.visitor();
    const pending = await test.database.collection('users').findOne({ username: registration.username });
    const deleted = await test.personas.user();
    await asAdmin().send('DELETE', `/api/users/${deleted.userId}`);
    for (const id of [String(pending?._id), deleted.userId]) {
      const before = (await asAdmin().get(`/api/users/${id}`)).body.data;
      const refused = await asAdmin().send('PATCH', `/api/users/${id}`, { role: 'admin', status: 'active' });
      expect([refused.status, refused.body.errors[0].field], before.status).toEqual([422, 'status']);
      const role = await asAdmin().send('PATCH', `/api/users/${id}`, { role: 'admin' });
      expect([role.status, role.body.errors[0].field], before.status).toEqual([422, 'role']);
      expect((await asAdmin().get(`/api/users/${id}`)).body.data).toEqual(before);
    }
  });

  it('deletes and restores an account; its names stay taken meanwhile', async () => {
    const user = await test.personas.user();
    expect((await asAdmin().send('DELETE', `/api/users/${user.userId}`)).status).toBe(200);
    expect((await profile(user.token)).status).toBe(401);
    const { body } = await asAdmin().get(`/api/users/${user.userId}`);
    expect(body.data).toMatchObject({ status: 'inactive', deleted_at: expect.any(String) });
    const { email } = user.registration;
    expect(
      (await test.client().post('/auth/register', { ...user.registration, username: 'another_name' })).status,
    ).toBe(422);
    await test.client().post('/auth/forgot-password', { email });
    expect((await test.database.collection('mails').findOne({ to: email, kind: 'password-reset' }))?.state).toBe(
      'decoy',
    );

    for (const status of ['inactive', 'active']) {
      const changed = await asAdmin().send('PATCH', `/api/users/${user.userId}`, { status });
      expect(changed.body.data, status).toMatchObject({ status: 'inactive', deleted_at: expect.any(String) });
    }

    expect((await asAdmin().send('POST', `/api/users/${user.userId}/restore`)).body.data).toMatchObject({
      status: 'active',
      deleted_at: null,
    });
    expect((await test.client().post('/auth/login', { login: email, password: PASSWORD })).status).toBe(200);
  });

  it('keeps an unconfirmed account that it stops, with its names, and lets it expire once it goes on', async () => {
    for (const [method, body] of [['PATCH', { status: 'inactive' }], ['DELETE']] as const) {
      const { registration } = await test.personas.visitor();
      const { email } = registration;
      const stored = async () => {
        const user = await test.database.collection('users').findOne({ email });
        return [user, await test.database.collection('auths').findOne({ user: user?._id })];
      };
      const [user] = await stored();
      const path = `/api/users/${String(user?._id)}`;
      expect((await asAdmin().send(method, path, body)).status).toBe(200);
      for (const document of await stored()) expect(document?.unconfirmed_until, method).toBeUndefined();

      // By now anybody else could register the address.
      await test.database.collection('users').updateOne({ email }, { $set: { created_at: new Date(0) } });
      expect((await test.client().post('/auth/register', registration)).status, method).toBe(422);

      const undone =
        method === 'DELETE'
          ? await asAdmin().send('POST', `${path}/restore`)
          : await asAdmin().send('PATCH', path, { status: 'active' });
      expect(undone.status, method).toBe(200);
      for (const document of await stored()) expect(document?.unconfirmed_until, method).toBeInstanceOf(Date);
      expect((await asAdmin().get(path)).body.data.status).toBe('pending');
    }
  });

  it('is for nobody whose account was disabled, though the cache still knows the session', async () => {
    const other = await test.personas.admin();
    expect((await as(other.token).get('/api/users')).status).toBe(200);
    const user = await test.database.collection('users').findOne({ email: other.registration.email });
    await test.database.collection('auths').updateOne({ user: user?._id }, { $set: { disabled_at: new Date() } });
    expect((await as(other.token).get('/api/users')).body.code).toBe('account_disabled');
  });

  it('tells who cleans up which of the two it was, and again when a clean-up failed', async () => {
    const { userId } = await test.personas.user();
    const heard: string[] = [];
    test.app.get(AccountAnnouncements, { strict: false }).onClosed((closedId, reason) => {
      if (closedId !== userId) return Promise.resolve();
      heard.push(reason);
      return heard.length === 1 ? Promise.reject(new Error('for once')) : Promise.resolve();
    });
    const disable = () => asAdmin().send('PATCH', `/api/users/${userId}`, { status: 'inactive' });
    expect((await disable()).status).toBe(500);
    expect((await disable()).status).toBe(200);
    expect((await asAdmin().send('DELETE', `/api/users/${userId}`)).status).toBe(200);
    expect(heard).toEqual(['disabled', 'disabled', 'deleted']);
  });

  it('tells who hid what is theirs that the account goes on, once nothing stops it any more', async () => {
    const { userId } = await test.personas.user();
    const heard: string[] = [];
    test.app.get(AccountAnnouncements, { strict: false }).onReopened((reopenedId) => {
      if (reopenedId === userId) heard.push(reopenedId);
      return heard.length === 1 ? Promise.reject(new Error('for once')) : Promise.resolve();
    });
    const change = (status: string) => asAdmin().send('PATCH', `/api/users/${userId}`, { status });
    const restore = () => asAdmin().send('POST', `/api/users/${userId}/restore`);
    await change('inactive');
    await asAdmin().send('DELETE', `/api/users/${userId}`);
    expect((await restore()).body.data.status, 'it is still disabled').toBe('inactive');
    expect(heard).toEqual([]);

    expect((await change('active')).status).toBe(500);
    expect((await change('active')).status).toBe(200);
    expect((await restore()).status).toBe(200);
    expect(heard).toEqual([userId, userId, userId]);
  });

  it('grants and takes the role of administrator, at once', async () => {
    const user = await test.personas.user();
    const list = () => as(user.token).get('/api/users');
    expect((await list()).status).toBe(403);
    await asAdmin().send('PATCH', `/api/users/${user.userId}`, { role: 'admin' });
    expect((await list()).status).toBe(200);
    await asAdmin().send('PATCH', `/api/users/${user.userId}`, { role: null });
    expect((await list()).body).toEqual({ error: true, code: 'role_required', message: 'Unauthorized', data: null });
  });

  it('leaves a status as it is that only a newer release knows, where nothing but the role is changed', async () => {
    const user = await test.personas.user();
    const users = test.database.collection('users');
    const _id = new Types.ObjectId(user.userId);
    await users.updateOne({ _id }, { $set: { status: 'of_tomorrow' } });
    // The document does not know it either.
    const { status } = await fetch(`${test.url}/api/users/${user.userId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-api-key': API_KEY, authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ role: 'admin', status: 'active' }),
    });
    expect(status).toBe(200);
    expect((await users.findOne({ _id }))?.['status']).toBe('of_tomorrow');
  });

  it('takes fields that are missing for null, as in accounts that something else has stored', async () => {
    const user = await test.personas.user();
    const { registration } = await test.personas.visitor();
    const users = test.database.collection('users');
    const auths = test.database.collection('auths');
    const pending = await users.findOne({ username: registration.username });
    await users.updateOne({ _id: new Types.ObjectId(user.userId) }, { $unset: { deleted_at: 1, status: 1 } });
    await auths.updateOne({ user: new Types.ObjectId(user.userId) }, { $unset: { role: 1, disabled_at: 1 } });
    await auths.updateOne({ user: pending?._id }, { $unset: { confirmed_at: 1 } });
    const changed = await as(user.token).send('PATCH', '/api/profile', { first_name: 'Augusta' });
    expect([changed.status, changed.body.data?.deleted_at]).toEqual([200, null]);
    expect((await asAdmin().get(`/api/users/${user.userId}`)).body.data.status).toBe('active');
    const credentials = { login: user.registration.username, password: PASSWORD };
    expect((await test.client().post('/auth/login', credentials)).status).toBe(200);
    const role = await asAdmin().send('PATCH', `/api/users/${String(pending?._id)}`, { role: 'admin' });
    expect([role.status, role.body.errors?.[0].message]).toEqual([422, expect.stringContaining('confirmed')]);
  });

  it('takes a role that the account has already, as a form sends it, when it disables an administrator', async () => {
    const { userId } = await test.personas.admin();
    const path = `/api/users/${userId}`;
    for (const sent of [{ role: 'admin', status: 'inactive' }, { role: 'admin' }]) {
      const { status, body } = await asAdmin().send('PATCH', path, sent);
      expect([status, body.data?.role, body.data?.status]).toEqual([200, 'admin', 'inactive']);
    }
    expect((await asAdmin().send('PATCH', path, { role: null })).body.data.role).toBeNull();
    const { status, body } = await asAdmin().send('PATCH', path, { role: 'admin' });
    expect([status, body.errors?.[0].field]).toEqual([422, 'role']);
  });

  it('refuses what it cannot do, and changes nothing', async () => {
    const user = await test.personas.user();
    for (const body of [
      { role: 'root' },
      { role: 7 },
      { status: 'pending' },
      { status: null },
      { password: 'x' },
      { confirmed_at: null },
      [],
    ]) {
      expect((await asAdmin().send('PATCH', `/api/users/${user.userId}`, body)).status, JSON.stringify(body)).toBe(422);
    }
    for (const search of ['', '%20', 'x'.repeat(255), 'a%00b', 'a%0Ab', 'a%E2%80%A8b'])
      expect((await asAdmin().get(`/api/users?search=${search}`)).status, search).toBe(422);
    expect((await asAdmin().get(`/api/users?search=${'x'.repeat(254)}`)).status).toBe(200);
    for (const id of ['x', '1'.repeat(23), '1'.repeat(25), 'z'.repeat(24), '%7B%22$ne%22:1%7D']) {
      expect((await asAdmin().get(`/api/users/${id}`)).status, id).toBe(422);
    }
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/restore'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined;
      const answer = await asAdmin().send(method, `/api/users/${'f'.repeat(24)}${path}`, body);
      expect([answer.status, answer.body.code], `${method} ${path}`).toEqual([404, 'not_found']);
    }
    expect((await profile(user.token)).status).toBe(200);
  });
});
