import { randomUUID } from 'node:crypto';
import { MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Transactions } from '../../src/infrastructure/database/index.js';
import { SecurityEvents } from '../../src/security/index.js';
import { wrongCode } from '../support/inbox.js';
import { HOUR } from '../support/manual-clock.js';
import { PASSWORD, type User, type Visitor } from '../support/personas.js';
import { seriesOf } from '../support/series.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('The record of security events', () => {
  let test: TestApp;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp();
    admin = await test.personas.admin();
  });
  afterAll(() => test.close());

  const events = (query: string) =>
    test.client().get(`/api/security-events${query}`, { apiKey: API_KEY, bearer: admin.token });
  const kindsOf = async (userId: string) => {
    const { body } = await events(`?user=${userId}&limit=100`);
    return (body.data.content as { kind: string }[]).map(({ kind }) => kind);
  };

  it('tells an account’s story, newest first', async () => {
    const user = await test.personas.user();
    const { username, email } = user.registration;
    await test.client().post('/auth/login', { login: username, password: 'Wrong-pass1' });
    await test.client().post('/auth/forgot-password', { email });
    await test.client().post('/auth/its-not-me', { refresh_token: user.refresh_token }, { bearer: user.token });
    const { token } = await test.inbox.waitFor(email, 'security-alert');
    const password = 'Brand-new2$';
    await test.client().post('/auth/reset-password', { token, password, password_confirmation: password });
    await expect.poll(() => kindsOf(user.userId)).toHaveLength(7);
    expect((await kindsOf(user.userId)).reverse()).toEqual([
      'user_created',
      'email_verified',
      'authn_login_success',
      'authn_login_fail',
      'authn_password_reset_requested',
      'authn_lockdown',
      'authn_password_change',
    ]);
  });

  it('says who, what, when, from where, and how it ended', async () => {
    const user = await test.personas.user();
    const client = test.client('203.0.113.77');
    await client.post(
      '/auth/login',
      { login: user.registration.username, password: 'Wrong-pass1' },
      { headers: { 'x-request-id': 'told-by-the-caller' } },
    );
    await expect.poll(() => kindsOf(user.userId)).toContain('authn_login_fail');
    const { body } = await events(`?user=${user.userId}&kind=authn_login_fail`);
    expect(body.data.content).toEqual([
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        kind: 'authn_login_fail',
        outcome: 'failure',
        at: expect.stringMatching(/Z$/),
        user: user.userId,
        by: null,
        session: null,
        ip: '203.0.113.77',
        request_id: 'told-by-the-caller',
        detail: 'invalid_credentials',
      },
    ]);
  });

  it('has refusals of guards and limits', async () => {
    const client = test.client();
    await client.get('/api/profile');
    for (let i = 0; i < 6; i += 1) await client.post('/auth/login', {});
    const details = async (kind: string) => {
      const { body } = await events(`?kind=${kind}&limit=100`);
      return (body.data.content as { detail: string }[]).map(({ detail }) => detail);
    };
    await expect.poll(() => details('authn_fail')).toContain('invalid_api_key /api/profile');
    await expect.poll(() => details('excess_rate_limit_exceeded')).toContain('too_many_login_attempts /auth/login');
  });

  describe('has', () => {
    /** @returns what was recorded of a request */
    const recorded = async (method: string, path: string, body?: object, bearer?: string) => {
      const id = randomUUID();
      const headers = { 'x-request-id': id };
      await test.client().request(path, { method, body, bearer, apiKey: API_KEY, headers });
      await test.app.get(SecurityEvents, { strict: false }).flush();
      const found = await test.database.collection('security_events').find({ request_id: id }).toArray();
      return found.map(({ kind, outcome, detail }) => `${kind} ${outcome} ${detail ?? ''}`.trimEnd());
    };
    const post = (path: string, body: object, bearer?: string) => recorded('POST', path, body, bearer);
    const [password, password_confirmation] = ['Brand-new2$', 'Brand-new2$'];

    it('what the owner of an account does and is refused, each once, and what is tried in a session that was stolen', async () => {
      const { registration } = await test.personas.visitor();
      const { email, username: login } = registration;
      const { otp } = await test.inbox.waitFor(email, 'email-verification');
      expect(await post('/auth/login', { login, password: PASSWORD })).toEqual([
        'authn_login_fail failure email_not_verified',
      ]);
      expect(await post('/auth/verify-otp', { email, otp: wrongCode(otp) })).toEqual([
        'email_verification_failed failure',
      ]);
      expect(await post('/auth/verify-otp', { email, otp })).toEqual(['email_verified success']);
      expect(await post('/auth/login', { login, password })).toEqual(['authn_login_fail failure invalid_credentials']);
      expect(await post('/auth/login', { login, password: PASSWORD })).toEqual(['authn_login_success success']);

      const { token, refresh_token } = await test.personas.login({ registration } as Visitor);
      expect(await post('/auth/refresh-token', { refresh_token })).toEqual([]);
      test.clock.advance(11_000);
      expect(await post('/auth/refresh-token', { refresh_token })).toEqual([
        'authn_token_reuse failure',
        'authn_fail failure refresh_token_reused /auth/refresh-token',
      ]);
      expect(await post('/auth/logout', { refresh_token }, token)).toEqual([
        'authn_fail failure refresh_token_reused /auth/logout',
      ]);

      const one = await test.personas.login({ registration } as Visitor);
      expect(await post('/auth/logout', { refresh_token: one.refresh_token }, one.token)).toEqual([
        'authn_logout success',
      ]);
      const all = await test.personas.login({ registration } as Visitor);
      expect(await post('/auth/logout', { refresh_token: all.refresh_token, all_sessions: true }, all.token)).toEqual([
        'authn_logout success all sessions',
      ]);

      const last = await test.personas.login({ registration } as Visitor);
      const change = { current_password: PASSWORD, password, password_confirmation };
      const changePassword = (body: object) => post('/api/profile/password', body, last.token);
      expect(await changePassword({ ...change, current_password: password })).toEqual([
        'authn_login_fail failure password change',
      ]);
      expect(await changePassword(change)).toEqual(['authn_password_change success']);
      expect(await recorded('GET', '/api/users', undefined, last.token)).toEqual([
        'authz_fail failure role_required /api/users',
      ]);
      expect(await post('/auth/its-not-me', { refresh_token: last.refresh_token }, last.token)).toEqual([
        'authn_lockdown success',
      ]);
      expect(await post('/auth/login', { login, password })).toEqual([
        'authn_login_fail failure password_reset_required',
      ]);
      const reset = { token: 'x'.repeat(43), password, password_confirmation };
      expect(await post('/auth/reset-password', reset)).toEqual(['authn_password_reset_failed failure']);
      expect(await post('/auth/report-login', { token: 'x' })).toEqual(['authn_fail failure report_link_invalid']);
    });

    it('what administrators do, and nothing where it is so already', async () => {
      const { userId } = await test.personas.user();
      const path = `/api/users/${userId}`;
      const change = (body: object) => recorded('PATCH', path, body, admin.token);
      for (const [body, ...expected] of [
        [{ role: 'admin' }, 'user_role_changed success admin'],
        [{ role: 'admin' }],
        [{ role: null }, 'user_role_changed success null'],
        [{ status: 'inactive' }, 'user_disabled success'],
        [{ status: 'inactive' }],
        [{ status: 'active' }, 'user_enabled success'],
      ] as [object, ...string[]][]) {
        expect(await change(body), JSON.stringify(body)).toEqual(expected);
      }
      const remove = () => recorded('DELETE', path, undefined, admin.token);
      const restore = () => recorded('POST', `${path}/restore`, undefined, admin.token);
      expect([await remove(), await remove()]).toEqual([['user_deleted success'], []]);
      expect([await restore(), await restore()]).toEqual([['user_restored success'], []]);
    });

    it('that a limit was exceeded, once, however often it is', async () => {
      const client = test.client();
      for (let i = 0; i < 9; i += 1) await client.post('/auth/login', {});
      await test.app.get(SecurityEvents, { strict: false }).flush();
      const found = await test.database.collection('security_events').find({ ip: client.address }).toArray();
      expect(found.map(({ detail }) => detail)).toEqual(['too_many_login_attempts /auth/login']);
    });
  });

  it('has the end of a session from another one', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    const claims = Buffer.from(other.token.split('.')[1] as string, 'base64url').toString();
    const { sid } = JSON.parse(claims) as { sid: string };
    const { status } = await test.client().delete(`/api/login-history/${sid}`, { bearer: user.token, apiKey: API_KEY });
    expect(status).toBe(200);
    expect((await test.client().get('/api/profile', { bearer: other.token, apiKey: API_KEY })).status).toBe(401);
    await expect
      .poll(async () => (await events('?kind=authn_fail')).body.data.content)
      .toContainEqual(expect.objectContaining({ by: user.userId, detail: 'session_revoked /api/profile' }));
    const revoked = async () => (await events(`?user=${user.userId}&kind=authn_token_revoked`)).body.data.content;
    await expect
      .poll(revoked)
      .toEqual([expect.objectContaining({ user: user.userId, by: user.userId, session: sid, outcome: 'success' })]);
  });

  it('says whose token has expired', async () => {
    const user = await test.personas.user();
    test.advance(HOUR);
    const { body } = await test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY });
    expect(body.code).toBe('token_expired');
    admin = { ...admin, ...(await test.personas.login(admin)) };
    await expect
      .poll(async () => (await events(`?by=${user.userId}&kind=authn_fail`)).body.data.content)
      .toEqual([expect.objectContaining({ user: null, detail: 'token_expired /api/profile' })]);
  });

  it('says which administrator it was', async () => {
    const user = await test.personas.user();
    const { status } = await test
      .client()
      .patch(`/api/users/${user.userId}`, { status: 'inactive' }, { bearer: admin.token, apiKey: API_KEY });
    expect(status).toBe(200);
    await expect
      .poll(async () => (await events(`?user=${user.userId.toUpperCase()}&kind=user_disabled`)).body.data.content)
      .toMatchObject([{ user: user.userId, by: admin.userId, ip: expect.any(String) }]);
  });

  /** @param attempt what each attempt at a transaction does once it has recorded a lockdown */
  const lockdownWithin = (userId: string, attempt: (count: number) => void) => {
    let count = 0;
    return test.app.get(Transactions, { strict: false }).run(async () => {
      const record = test.app.get(SecurityEvents, { strict: false });
      await record.recordWith({ kind: 'authn_lockdown', outcome: 'success', userId });
      attempt((count += 1));
    });
  };
  const lockdownsTold = async () =>
    Number(seriesOf((await test.client().get('/metrics')).text)['security_events_total{kind="authn_lockdown"}']);

  it('tells nothing of a transaction that came to nothing', async () => {
    const { userId } = await test.personas.user();
    const before = await lockdownsTold();
    const failed = lockdownWithin(userId, () => {
      throw new Error('taken back');
    });
    await expect(failed).rejects.toThrow('taken back');
    expect(await lockdownsTold()).toBe(before);
    expect(await kindsOf(userId)).not.toContain('authn_lockdown');
  });

  it('tells once of a transaction that was repeated', async () => {
    const { userId } = await test.personas.user();
    const before = await lockdownsTold();
    await lockdownWithin(userId, (count) => {
      if (count < 3) throw new MongoServerError({ message: 'conflict', errorLabels: ['TransientTransactionError'] });
    });
    expect(await lockdownsTold()).toBe(before + 1);
    expect((await kindsOf(userId)).filter((kind) => kind === 'authn_lockdown')).toHaveLength(1);
  });

  it('comes in pages', async () => {
    const { userId } = await test.personas.user();
    await expect.poll(() => kindsOf(userId)).toHaveLength(3);
    const first = (await events(`?user=${userId}&limit=2`)).body.data;
    const second = (await events(`?user=${userId}&limit=2&page=2`)).body.data;
    expect(first.pagination).toMatchObject({ page: 1, limit: 2, total: 3, hasNextPage: true, hasPrevPage: false });
    expect(second.pagination).toMatchObject({ page: 2, hasNextPage: false, hasPrevPage: true });
    const kinds = [first, second].map(({ content }) => content.map(({ kind }: { kind: string }) => kind));
    expect(kinds).toEqual([['authn_login_success', 'email_verified'], ['user_created']]);
    const beyond = (await events('?page=1000000')).body.data;
    expect(beyond.content).toEqual([]);
    expect(beyond.pagination.hasNextPage).toBe(false);
  });

  it('refuses what is no query', async () => {
    for (const query of [
      '?limit=0',
      '?limit=101',
      '?limit=1e2',
      '?limit=0x10',
      '?limit=%2020',
      '?limit=05',
      '?limit=+5',
      '?limit=',
      '?page=0',
      '?page=-1',
      '?page=1000001',
      '?page=1.5',
      '?page=1&page=2',
      '?user=x',
      '?user[$ne]=x',
      '?kind=nothing',
      '?nothing=1',
    ]) {
      const { status, body } = await events(query);
      expect(status, query).toBe(422);
      expect(body).toMatchObject({ error: true, code: 'validation_failed', data: null });
    }
    expect((await events('?limit=100&page=1')).status).toBe(200);
    const { body } = await events('?kind=login');
    expect(body.errors, 'with the names to choose from').toEqual([
      { field: 'kind', message: expect.stringContaining('authn_login_success, authn_login_fail, ') },
    ]);
  });

  it('is for administrators', async () => {
    const user = await test.personas.user();
    const { status, body } = await test.client().get('/api/security-events', { apiKey: API_KEY, bearer: user.token });
    expect(status).toBe(403);
    expect(body).toEqual({ error: true, code: 'role_required', message: 'Unauthorized', data: null });
  });

  it('is kept for 90 days', async () => {
    const indexes = await test.database.collection('security_events').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { at: -1 }, expireAfterSeconds: 7_776_000 }));
  });
});
