import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../src/common/access/index.js';
import type { Tokens, User } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('A support desk', () => {
  let test: TestApp;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { RATE_LIMIT: '100000' } });
    admin = await test.personas.admin();
  });
  afterAll(() => test.close());

  const list = async (path: string) => (await admin.api.get(path)).body.data.content as Record<string, unknown>[];
  const profile = async ({ token }: Tokens) => (await admin.api.as({ bearer: token }).get('/api/profile')).status;
  const sessionsOf = async ({ userId }: { userId: string }) =>
    (await list(`/api/users/${userId}/login-history`)).map(({ _id }) => _id as string);

  it('ends one session of somebody, and no other', async () => {
    const user = await test.personas.user();
    const stolen = await test.personas.login(user);
    const [newest = ''] = await sessionsOf(user);
    expect((await admin.api.delete(`/api/users/${user.userId}/login-history/${newest}`)).status).toBe(200);

    const refused = await admin.api.as({ bearer: stolen.token }).get('/api/profile');
    expect(refused.status).toBe(401);
    expect(refused.body.code).toBe('session_revoked');
    const { refresh_token } = stolen;
    expect((await test.client().post('/auth/refresh-token', { refresh_token })).body.code).toBe('session_revoked');
    expect(await profile(user)).toBe(200);
    expect(await sessionsOf(user)).not.toContain(newest);

    const events = await list(`/api/security-events?user=${user.userId}&kind=authn_token_revoked`);
    expect(events).toEqual([expect.objectContaining({ session: newest, by: admin.userId, detail: null })]);
  });

  it('ends all sessions of somebody, who may log in again', async () => {
    const user = await test.personas.user();
    const others = [await test.personas.login(user), await test.personas.login(user)];
    const bystander = await test.personas.user();
    const answer = await admin.api.delete(`/api/users/${user.userId}/login-history`);
    expect(answer.body.data).toEqual({ ended: 3 });
    for (const session of [user, ...others]) expect(await profile(session)).toBe(401);
    expect(await profile(bystander)).toBe(200);
    expect(await profile(await test.personas.login(user))).toBe(200);

    const events = await list(`/api/security-events?user=${user.userId}&kind=authn_token_revoked`);
    expect(events).toEqual([expect.objectContaining({ session: null, by: admin.userId, detail: 'all sessions' })]);
  });

  it('ends nothing that is not of the account it named', async () => {
    const [user, other] = [await test.personas.user(), await test.personas.user()];
    const [session = ''] = await sessionsOf(other);
    for (const id of [session, 'ab'.repeat(12)]) {
      const { status, body } = await admin.api.delete(`/api/users/${user.userId}/login-history/${id}`);
      expect(status).toBe(404);
      expect(body.code).toBe('not_found');
    }
    expect(await profile(other)).toBe(200);
    const misspelt = await admin.api.delete(`/api/users/${user.userId}/login-history/all`);
    expect(misspelt.status).toBe(422);
    expect(misspelt.body.errors).toEqual([{ field: 'session', message: 'session must be 24 hexadecimal characters' }]);
    const nobody = await admin.api.delete(`/api/users/${'ab'.repeat(12)}/login-history`);
    expect(nobody.body.data).toEqual({ ended: 0 });
  });

  it('finds who is an administrator, among those of a status or a name too', async () => {
    const second = await test.personas.admin();
    await test.personas.user();
    const ids = async (query: string) => (await list(`/api/users?role=admin${query}`)).map(({ _id }) => _id);
    expect(await ids('')).toEqual([second.userId, admin.userId]);
    expect(await ids(`&search=${second.registration.username}`)).toEqual([second.userId]);
    expect(await ids('&status=inactive')).toEqual([]);
    await admin.api.patch(`/api/users/${second.userId}`, { role: null });
    expect(await ids('')).toEqual([admin.userId]);
    expect((await admin.api.get('/api/users?role=king')).body.errors).toEqual([
      { field: 'role', message: `role must be one of ${ROLES.join(', ')}` },
    ]);
  });

  it('finds what an administrator did', async () => {
    const [busy, user] = [await test.personas.admin(), await test.personas.user()];
    await admin.api.patch(`/api/users/${user.userId}`, { status: 'inactive' });
    for (const status of ['active', 'inactive']) await busy.api.patch(`/api/users/${user.userId}`, { status });
    const found = async (query: string) =>
      (await list(`/api/security-events?by=${busy.userId}${query}`)).map(({ kind, user }) => ({ kind, user }));
    const disabled = { kind: 'user_disabled', user: user.userId };
    expect(await found('')).toEqual([disabled, { kind: 'user_enabled', user: user.userId }]);
    expect(await found('&kind=user_disabled')).toEqual([disabled]);
    expect(await found(`&user=${admin.userId}`)).toEqual([]);
  });

  it('finds what happened in a time, its first moment included and its last not', async () => {
    test.clock.freeze();
    const user = await test.personas.user();
    const decide = (status: string) => admin.api.patch(`/api/users/${user.userId}`, { status });
    const times: string[] = [];
    for (const status of ['inactive', 'active', 'inactive']) {
      test.clock.advance(60_000);
      times.push(test.clock.now().toISOString());
      await decide(status);
    }
    const [first, second, third] = times;
    const found = async (query: string) =>
      (await list(`/api/security-events?user=${user.userId}&${query}`)).map(({ at }) => at);
    expect(await found(`since=${second}`)).toEqual([third, second]);
    expect(await found(`since=${second?.toLowerCase()}`), 'RFC 3339 takes it so, too').toEqual([third, second]);
    expect(await found(`until=${second}&kind=user_disabled`)).toEqual([first]);
    expect(await found(`since=${first}&until=${third}`)).toEqual([second, first]);
    // The same moment by another clock; the plus is written as URLs have it.
    const elsewhere = `${new Date(Date.parse(third as string) + 3_600_000).toISOString().slice(0, -1)}%2B01:00`;
    expect(await found(`since=${elsewhere}`)).toEqual([third]);
    expect(await found(`since=${third}&until=${first}`)).toEqual([]);
    for (const wrong of ['yesterday', '2026-02-30T00:00:00Z', '2026-02-01']) {
      const { status, body } = await admin.api.get(`/api/security-events?since=${wrong}`);
      expect(status, wrong).toBe(422);
      expect(body.errors[0].field).toBe('since');
    }
  });

  it('is for administrators', async () => {
    const [user, other] = [await test.personas.user(), await test.personas.user()];
    const [session = ''] = await sessionsOf(other);
    for (const path of ['', `/${session}`]) {
      const { status } = await user.api.delete(`/api/users/${other.userId}/login-history${path}`);
      expect(status).toBe(403);
    }
    expect(await profile(other)).toBe(200);
  });
});
