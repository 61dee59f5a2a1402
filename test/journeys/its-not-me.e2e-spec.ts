import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordCache } from '../../src/infrastructure/cache/index.js';
import { PasswordHasher } from '../../src/security/index.js';
import { targetsOf } from '../support/inbox.js';
import { PASSWORD, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'Brand-new2$';

describe('A login that was not mine', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const report = (bearer: string | undefined, refresh_token: string) =>
    test.client().post('/auth/its-not-me', { refresh_token }, { bearer });
  const profile = (bearer: string) => test.client().get('/api/profile', { bearer, apiKey: API_KEY });
  const login = (user: User, password: string) =>
    test.client().post('/auth/login', { login: user.registration.username, password });
  const reset = (token: string, password: string) =>
    test.client().post('/auth/reset-password', { token, password, password_confirmation: password });

  it('ends every session with one call', async () => {
    const user = await test.personas.user();
    const stranger = await test.personas.login(user);
    expect((await profile(stranger.token)).status).toBe(200);
    const { status, body } = await report(user.token, user.refresh_token);
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    for (const session of [user, stranger]) {
      expect((await profile(session.token)).body.code).toBe('reported_not_me');
      const refreshed = await test.client().post('/auth/refresh-token', { refresh_token: session.refresh_token });
      expect(refreshed.status).toBe(401);
      expect(refreshed.body.code).toBe('reported_not_me');
    }
  });

  it('mails an alert with a reset link, even right after another reset mail', async () => {
    const user = await test.personas.user();
    const { email } = user.registration;
    await test.client().post('/auth/forgot-password', { email });
    await test.inbox.waitFor(email, 'password-reset');
    await report(user.token, user.refresh_token);
    const mail = await test.inbox.waitFor(email, 'security-alert');
    expect(mail.link).toBe(`https://app.example/reset-password?token=${mail.token}`);
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain(mail.link);
      expect(part.replaceAll(mail.link as string, '')).toContain(mail.token);
    }
    expect(targetsOf(mail)).toEqual([mail.link, mail.link]);
  });

  it('mails it to the stored address, whatever somebody has put into the cache', async () => {
    const user = await test.personas.user();
    expect((await profile(user.token)).status).toBe(200);
    const cache = test.app.get(RecordCache);
    const key = `user:auth:${user.userId}`;
    const [record] = (await cache.getMany([key])) as [{ user: object }];
    await cache.put(key, { ...record, user: { ...record.user, email: 'thief@example.com' } }, 60_000);
    expect((await profile(user.token)).body.data.email).toBe('thief@example.com');
    expect((await report(user.token, user.refresh_token)).status).toBe(200);
    expect((await test.inbox.waitFor(user.registration.email, 'security-alert')).token).not.toBeNull();
    expect(await test.inbox.mailsTo('thief@example.com')).toEqual([]);
  });

  it('refuses the old password until a new one is chosen, which must differ', async () => {
    const user = await test.personas.user();
    await report(user.token, user.refresh_token);
    const { api } = await test.personas.admin();
    const seen = await api.get(`/api/users/${user.userId}`);
    expect(seen.body.data, 'who helps the owner sees why').toMatchObject({ password_reset_required: true });
    const refused = await login(user, PASSWORD);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      status_code: 403,
      status: 'ERROR',
      code: 'password_reset_required',
      message: 'Password reset required',
    });
    expect((await login(user, 'Wrong-pass1')).status).toBe(401);

    const { token } = await test.inbox.waitFor(user.registration.email, 'security-alert');
    const same = await reset(token as string, PASSWORD);
    expect(same.status).toBe(422);
    expect(same.body.errors).toEqual([{ field: 'password', message: 'password must differ from the previous one' }]);
    expect((await reset(token as string, NEW_PASSWORD)).status).toBe(200);
    expect((await login(user, PASSWORD)).status).toBe(401);
    expect((await login(user, NEW_PASSWORD)).status).toBe(200);
  });

  it('forgets every device: the next logins are announced, that of the stranger’s device too', async () => {
    const user = await test.personas.user();
    const { email, username } = user.registration;
    const loginFrom = (address: string, password: string) =>
      test.client(address).post('/auth/login', { login: username, password });
    expect((await loginFrom('8.8.8.8', PASSWORD)).status).toBe(200);
    await test.inbox.waitFor(email, 'new-device');
    await report(user.token, user.refresh_token);
    const { token } = await test.inbox.waitFor(email, 'security-alert');
    expect((await reset(token as string, NEW_PASSWORD)).status).toBe(200);
    expect((await loginFrom('8.8.8.8', NEW_PASSWORD)).status).toBe(200);
    await test.inbox.waitFor(email, 'new-device', 2);
  });

  it('needs the refresh token of the bearer’s own session', async () => {
    const ada = await test.personas.user();
    const elsewhere = await test.personas.login(ada);
    const eve = await test.personas.user();
    for (const [bearer, token] of [
      [ada.token, eve.refresh_token],
      [ada.token, elsewhere.refresh_token],
      [undefined, ada.refresh_token],
    ] as const) {
      expect((await report(bearer, token)).status).toBe(401);
    }
    for (const { token } of [ada, elsewhere, eve]) expect((await profile(token)).status).toBe(200);
    expect((await login(ada, PASSWORD)).status).toBe(200);
    expect(
      await test.database.collection('mails').countDocuments({ to: ada.registration.email, kind: 'security-alert' }),
    ).toBe(0);
  });

  it('is not undone by a password that the stranger was changing at the same moment', async () => {
    const user = await test.personas.user();
    const stranger = await test.personas.login(user);
    const hasher = test.app.get(PasswordHasher, { strict: false });
    const verify = hasher.verify.bind(hasher);
    let reported: number | undefined;
    hasher.verify = async (...passwords) => {
      const isRight = await verify(...passwords);
      reported = (await report(user.token, user.refresh_token)).status;
      return isRight;
    };
    const change = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    const changed = await test
      .client()
      .post('/api/profile/password', change, { bearer: stranger.token, apiKey: API_KEY });
    hasher.verify = verify;
    expect(reported).toBe(200);
    expect([changed.status, changed.body.code]).toEqual([401, 'reported_not_me']);
    expect((await login(user, NEW_PASSWORD)).status).toBe(401);
    expect((await login(user, PASSWORD)).body.code).toBe('password_reset_required');
  });

  it('is done once by parallel reports, and tells the others why their session has ended', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const reports = await Promise.all(Array.from({ length: 4 }, () => report(user.token, user.refresh_token)));
      const outcomes = reports.map(({ status, body }) => body.code ?? status).sort();
      expect(outcomes).toEqual([200, ...Array.from({ length: 3 }, () => 'reported_not_me')]);
    }
  });

  it('leaves no token that works, whatever is refreshed or logged in at the same moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const stranger = await test.personas.login(user);
      const [reported, ...others] = await Promise.all([
        report(user.token, user.refresh_token),
        test.client().post('/auth/refresh-token', { refresh_token: stranger.refresh_token }),
        login(user, PASSWORD),
        profile(stranger.token),
      ]);
      expect(reported.status).toBe(200);
      for (const { status, body } of others) {
        expect([200, 401, 403]).toContain(status);
        if (!body.data?.refresh_token) continue;
        expect((await profile(body.data.token)).status).toBe(401);
        const again = await test.client().post('/auth/refresh-token', { refresh_token: body.data.refresh_token });
        expect(again.status).toBe(401);
      }
      expect((await profile(stranger.token)).status).toBe(401);
    }
  });
});
