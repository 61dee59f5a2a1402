import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Authenticator } from '../../src/security/index.js';
import type { ApiClient } from '../support/api-client.js';
import { redisUrl } from '../support/backends.js';
import { SECOND } from '../support/manual-clock.js';
import { PASSWORD, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const ROUNDS = 20;
const NEW_PASSWORD = 'Brand-new2$';

describe.skipIf(!redisUrl())('Two instances on one database and one Redis', () => {
  let first: TestApp;
  let second: TestApp;
  let admin: User;
  beforeAll(async () => {
    first = await startTestApp({ redis: true });
    second = await startTestApp({ beside: first });
    admin = await first.personas.admin();
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  const clients = (): [ApiClient, ApiClient] => [first.client(), second.client()];
  const either = (i: number) => (i % 2 === 0 ? first.client() : second.client());
  const refresh = (client: ApiClient, refresh_token: string) => client.post('/auth/refresh-token', { refresh_token });
  const profile = (client: ApiClient, bearer: string) => client.get('/api/profile', { bearer, apiKey: API_KEY });
  const resetToken = async ({ registration }: User) => {
    await first.client().post('/auth/forgot-password', { email: registration.email });
    return (await first.inbox.waitFor(registration.email, 'password-reset')).token;
  };
  const expectDead = async (token: string, refresh_token: string) => {
    for (const client of clients()) {
      expect((await profile(client, token)).status).toBe(401);
      expect((await refresh(client, refresh_token)).status).toBe(401);
    }
  };

  it('refuse on one what was revoked on the other, in the first request after the answer', async () => {
    const waysToEnd: Record<string, (user: User) => Promise<number>> = {
      logout: async (user) =>
        (await first.client().post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token }))
          .status,
      'its-not-me': async (user) =>
        (await first.client().post('/auth/its-not-me', { refresh_token: user.refresh_token }, { bearer: user.token }))
          .status,
      'reset-password': async (user) => {
        const body = { token: await resetToken(user), password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
        return (await first.client().post('/auth/reset-password', body)).status;
      },
      'disabled by an administrator': async (user) => {
        const path = `/api/users/${user.userId}`;
        const credentials = { apiKey: API_KEY, bearer: admin.token };
        return (await first.client().request(path, { method: 'PATCH', body: { status: 'inactive' }, ...credentials }))
          .status;
      },
      'reuse of a refresh token': async (user) => {
        await refresh(first.client(), user.refresh_token);
        first.clock.advance(11 * SECOND);
        second.clock.advance(11 * SECOND);
        return (await refresh(first.client(), user.refresh_token)).status === 401 ? 200 : 500;
      },
    };
    for (const [name, end] of Object.entries(waysToEnd)) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = await first.personas.user();
        expect((await profile(second.client(), user.token)).status, 'it is cached there').toBe(200);
        expect(await end(user), name).toBe(200);
        expect((await profile(second.client(), user.token)).status, `${name}, round ${round}`).toBe(401);
      }
    }
  });

  it('have none of the sessions left that somebody else is just ending', async () => {
    const endAll = ({ userId }: User) =>
      second.client().delete(`/api/users/${userId}/login-history`, { apiKey: API_KEY, bearer: admin.token });
    const authenticator = first.app.get(Authenticator, { strict: false });
    const forget = authenticator.forgetSessions.bind(authenticator);
    onTestFinished(() => void (authenticator.forgetSessions = forget));
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await first.personas.user();
      for (const client of clients()) expect((await profile(client, user.token)).status).toBe(200);
      const isHeld = new Promise<() => void>((resolve) => {
        authenticator.forgetSessions = (...ended) =>
          new Promise<void>((goOn) => resolve(goOn)).then(() => forget(...ended));
      });
      const body = { refresh_token: user.refresh_token, all_sessions: true };
      const logout = first.client().post('/auth/logout', body, { bearer: user.token });
      const goOn = await isHeld;
      expect((await endAll(user)).body.data).toEqual({ ended: 0 });
      for (const client of clients()) expect((await profile(client, user.token)).body.code).toBe('logged_out');
      goOn();
      expect((await logout).status).toBe(200);
    }
  });

  it('refuse on one what a role no longer allows on the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await first.personas.user();
      const list = () => second.client().get('/api/users', { apiKey: API_KEY, bearer: user.token });
      const setRole = (role: string | null) =>
        first.client().request(`/api/users/${user.userId}`, {
          method: 'PATCH',
          body: { role },
          apiKey: API_KEY,
          bearer: admin.token,
        });
      await setRole('admin');
      expect((await list()).status).toBe(200);
      await setRole(null);
      expect((await list()).status).toBe(403);
    }
  });

  it('give parallel refreshes one successor', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await first.personas.user();
      const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => refresh(either(i), user.refresh_token)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.data.refresh_token)).size).toBe(1);
      expect((await profile(either(round), answers[0]?.body.data.token)).status).toBe(200);
    }
  });

  it('let two tabs go on from a lost answer, without a second line of tokens', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await first.personas.user();
      const tabs: [string, string] = [user.refresh_token, user.refresh_token];
      for (let step = 0; step < 4; step += 1) {
        const [one, two] = await Promise.all([refresh(first.client(), tabs[0]), refresh(second.client(), tabs[1])]);
        expect([one.status, two.status]).toEqual([200, 200]);
        expect(one.body.data.refresh_token).toBe(two.body.data.refresh_token);
        tabs[0] = one.body.data.refresh_token;
        // The second tab loses this answer, and tries again with what it has.
        tabs[1] = (await refresh(second.client(), tabs[1])).body.data.refresh_token;
        expect(tabs[1]).toBe(tabs[0]);
      }
    }
  });

  it('leave no token that works when a refresh meets logout, reset or its-not-me', async () => {
    const enemies: Record<string, (user: User, token: string | null) => Promise<number>> = {
      logout: async (user) =>
        (await second.client().post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token }))
          .status,
      'its-not-me': async (user) =>
        (await second.client().post('/auth/its-not-me', { refresh_token: user.refresh_token }, { bearer: user.token }))
          .status,
      'reset-password': async (_user, token) =>
        (
          await second
            .client()
            .post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD })
        ).status,
    };
    for (const [name, enemy] of Object.entries(enemies)) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = await first.personas.user();
        const token = name === 'reset-password' ? await resetToken(user) : null;
        const [refreshed, ended] = await Promise.all([refresh(first.client(), user.refresh_token), enemy(user, token)]);
        expect(ended, name).toBe(200);
        await expectDead(user.token, user.refresh_token);
        if (refreshed.status === 200) await expectDead(refreshed.body.data.token, refreshed.body.data.refresh_token);
      }
    }
  });

  it('let no login with the old password outlive a reset', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await first.personas.user();
      const token = await resetToken(user);
      const { username } = user.registration;
      const [reset, ...logins] = await Promise.all([
        first
          .client()
          .post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD }),
        ...Array.from({ length: 4 }, (_, i) => either(i).post('/auth/login', { login: username, password: PASSWORD })),
      ]);
      expect(reset.status).toBe(200);
      for (const { status, body } of logins) {
        expect([200, 401]).toContain(status);
        if (status === 200) await expectDead(body.data.token, body.data.refresh_token);
      }
      expect((await second.client().post('/auth/login', { login: username, password: NEW_PASSWORD })).status).toBe(200);
    }
  });

  it('do not put back a session that ended while they read it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await first.personas.user();
      const reads = Array.from({ length: 6 }, (_, i) => profile(either(i), user.token));
      const ended = first.client().post('/auth/logout', { refresh_token: user.refresh_token }, { bearer: user.token });
      await Promise.all([...reads, ended]);
      for (const client of clients()) expect((await profile(client, user.token)).status).toBe(401);
    }
  });

  it('consume a code and a reset token once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { registration } = await first.personas.visitor();
      const { email } = registration;
      const { otp } = await first.inbox.waitFor(email, 'email-verification');
      const verified = await Promise.all(
        Array.from({ length: 5 }, (_, i) => either(i).post('/auth/verify-otp', { email, otp })),
      );
      expect(verified.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);

      await first.client().post('/auth/forgot-password', { email });
      const { token } = await first.inbox.waitFor(email, 'password-reset');
      const passwords = ['First-one1@', 'Second-one2@', 'Third-one3@', 'Fourth-one4@'];
      const resets = await Promise.all(
        passwords.map((password, i) =>
          either(i).post('/auth/reset-password', { token, password, password_confirmation: password }),
        ),
      );
      expect(resets.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    }
  });

  it('end either with a verified address or with a dead code when a verification meets a resend', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { registration } = await first.personas.visitor();
      const { email } = registration;
      const { otp } = await first.inbox.waitFor(email, 'email-verification');
      for (const app of [first, second]) app.clock.advance(61 * SECOND);
      const [verified] = await Promise.all([
        first.client().post('/auth/verify-otp', { email, otp }),
        second.client().post('/auth/resend-otp', { email }),
      ]);
      const again = await second.client().post('/auth/verify-otp', { email, otp });
      expect(again.status).toBe(400);
      if (verified.status === 200) continue;
      const fresh = (await first.inbox.waitFor(email, 'email-verification', 2)).otp;
      expect((await first.client().post('/auth/verify-otp', { email, otp: fresh })).status).toBe(200);
    }
  });
});
