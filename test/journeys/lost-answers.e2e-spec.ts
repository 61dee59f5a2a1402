import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../support/api-client.js';
import { NEW_PASSWORD, PasswordResets } from '../support/password-resets.js';
import { newRegistration, PASSWORD, type User } from '../support/personas.js';
import { ReportedLogins } from '../support/reported-logins.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('A request whose answer was lost', () => {
  let test: TestApp;
  let user: User;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { RATE_LIMIT: '100000', AUTH_RATE_LIMIT: '1000' } });
    user = await test.personas.user();
    admin = await test.personas.admin();
  });
  afterAll(() => test.close());

  /** What the second of two equal requests is answered; the first succeeds. */
  const repeated = async (ask: () => Promise<ApiResponse>) => {
    const first = await ask();
    expect(first.status, first.text).toBeLessThan(300);
    const { status, body } = await ask();
    return {
      code: body.code ?? status,
      fields: body.errors?.map(({ field }: { field: string }) => field),
      first,
      body,
    };
  };
  const post =
    (path: string, body: object, by: Partial<User> = {}) =>
    () =>
      test.client().post(path, body, { bearer: by.token });
  const newPassword = { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };

  it('is told of in the document, operation by operation', async () => {
    const { info, paths } = (await test.client().get('/openapi.json')).body;
    const [, section = ''] = (info.description as string).split('## When an answer is lost');
    const rows =
      section
        .split('##')[0]
        ?.split('\n')
        .filter((line) => line.startsWith('| `')) ?? [];
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, id]) => id));
    const operations = Object.values(paths as object).flatMap((methods) => Object.values(methods as object));
    expect(operations.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(named));
    expect(named.length).toBe(14);
  });

  it('may have registered somebody: a login shows it', async () => {
    const registration = newRegistration();
    const { code, fields } = await repeated(post('/auth/register', registration));
    expect([code, fields.toSorted()]).toEqual(['validation_failed', ['email', 'username']]);
    const login = await test.client().post('/auth/login', { login: registration.username, password: PASSWORD });
    expect(login.body.code).toBe('email_not_verified');
  });

  it('may have used a code, a link or the old password up: a login shows it', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    expect((await repeated(post('/auth/verify-otp', { email, otp }))).code).toBe('invalid_otp');

    const forgetful = await test.personas.confirmed();
    const token = await new PasswordResets(test).tokenFor(forgetful.registration.email);
    expect((await repeated(post('/auth/reset-password', { token, ...newPassword }))).code).toBe('invalid_reset_token');

    const other = await test.personas.user();
    const change = { current_password: PASSWORD, ...newPassword };
    const { code, fields } = await repeated(() => other.api.post('/api/profile/password', change));
    expect([code, fields]).toEqual(['validation_failed', ['current_password']]);
  });

  it('may have opened a session, and a refresh is answered once more', async () => {
    const other = await test.personas.confirmed();
    const login = await repeated(post('/auth/login', { login: other.registration.username, password: PASSWORD }));
    expect(login.code).toBe(200);
    expect(login.body.data.refresh_token).not.toBe(login.first.body.data.refresh_token);
    const refresh = await repeated(post('/auth/refresh-token', { refresh_token: login.body.data.refresh_token }));
    expect(refresh.body.data.refresh_token).toBe(refresh.first.body.data.refresh_token);
  });

  it('has ended a session: the repetition says so', async () => {
    const { refresh_token, ...leaving } = await test.personas.user();
    expect((await repeated(post('/auth/logout', { refresh_token }, leaving))).code).toBe('logged_out');
    const robbed = await test.personas.user();
    const report = post('/auth/its-not-me', { refresh_token: robbed.refresh_token }, robbed);
    expect((await repeated(report)).code).toBe('reported_not_me');
    const { linkToken } = await new ReportedLogins(test).victim();
    expect((await repeated(post('/auth/report-login', { token: linkToken }))).code).toBe('report_link_used');

    for (const [by, path] of [
      [user, '/api/login-history'],
      [admin, `/api/users/${user.userId}/login-history`],
    ] as const) {
      await test.personas.login(user);
      const [{ _id }] = (await user.api.get('/api/login-history')).body.data.content;
      expect((await repeated(() => by.api.delete(`${path}/${_id}`))).code, path).toBe('not_found');
    }
  });

  it('has issued, replaced or revoked a key', async () => {
    const { code, fields, first } = await repeated(() => admin.api.post('/api/api-keys', { name: 'lost' }));
    expect([code, fields]).toEqual(['validation_failed', ['name']]);
    const path = `/api/api-keys/${first.body.data._id}`;
    const rotate = (overlap_seconds: number) => repeated(() => admin.api.post(`${path}/rotate`, { overlap_seconds }));
    const atOnce = await rotate(0);
    expect([atOnce.code, atOnce.body.data.key === atOnce.first.body.data.key]).toEqual([200, false]);
    expect((await rotate(60)).fields).toEqual(['overlap_seconds']);
    expect((await repeated(() => admin.api.delete(path))).code).toBe('not_found');
  });

  it('is repeated as if it were the first, otherwise', async () => {
    const { registration } = await test.personas.visitor();
    const someone = await test.personas.user();
    const path = `/api/users/${someone.userId}`;
    for (const ask of [
      post('/auth/resend-otp', { email: registration.email }),
      post('/auth/forgot-password', { email: someone.registration.email }),
      () => someone.api.patch('/api/profile', { username: `x${registration.username}` }),
      () => admin.api.patch(path, { role: 'admin' }),
      () => admin.api.delete(`${path}/login-history`),
      () => admin.api.patch(path, { status: 'inactive' }),
      () => admin.api.delete(path),
      () => admin.api.post(`${path}/restore`),
    ])
      expect((await repeated(ask)).code, String(ask)).toBe(200);
  });
});
