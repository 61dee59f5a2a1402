import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { redisUrl } from '../support/backends.js';
import { NEW_PASSWORD, PasswordResets } from '../support/password-resets.js';
import { PASSWORD, type Registration, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const ROUNDS = 2;
const AT_ONCE = 12;
const WITHOUT_LIMITS = { AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' };

/** One of many who do the same at once: makes its next request, of so many. */
type Stormer = (app: TestApp, count: number) => Promise<unknown>;

const logIn = (client: ApiClient, login: string) => client.post('/auth/login', { login, password: PASSWORD });

const logInFrom =
  (addressOf: (count: number) => string, login: string): Stormer =>
  (app, count) =>
    logIn(app.client(addressOf(count)), login);

/** They write the account or its devices, as what ends the storm does. */
const STORMS: Record<string, (victim: Registration) => Stormer> = {
  'logs in without end, from everywhere, with the password': ({ username }) =>
    logInFrom((count) => `203.${count >> 8}.${count & 255}.7`, username),
  'logs in without end, from one place, with the password': ({ username }) => logInFrom(() => '203.0.113.7', username),
  'asks for mails to the address without end':
    ({ email }) =>
    (app) =>
      app.client().post('/auth/forgot-password', { email }),
};

/** They write sessions, too. */
const STORMS_OF_SESSIONS: typeof STORMS = {
  'refreshes without end, with the password': ({ username }) => {
    let tokens: string | undefined;
    return async (app) => {
      const client = app.client();
      const { status, body } = tokens
        ? await client.post('/auth/refresh-token', { refresh_token: tokens })
        : await logIn(client, username);
      if (status === 200) tokens = body.data.refresh_token;
    };
  },
  'changes the profile without end, with the password': ({ username }) => {
    let token: string | undefined;
    return async (app, count) => {
      token ??= (await logIn(app.client(), username)).body.data?.token;
      await app.client().patch('/api/profile', { first_name: `Ada ${count}` }, { bearer: token, apiKey: API_KEY });
    };
  },
};

describe.each(Object.entries({ ...STORMS, ...STORMS_OF_SESSIONS }))('Somebody who %s', (_what, stormerOf) => {
  describe('to one instance', () => withInstances(1, stormerOf));
  describe.skipIf(!redisUrl())('to two instances', () => withInstances(2, stormerOf));
});

function withInstances(instances: number, stormerOf: (victim: Registration) => Stormer): void {
  const apps: TestApp[] = [];
  let first: TestApp;
  let admin: User;
  let resets: PasswordResets;

  beforeAll(async () => {
    first = await startTestApp({ redis: instances > 1, env: WITHOUT_LIMITS });
    apps.push(first);
    while (apps.length < instances) apps.push(await startTestApp({ beside: first }));
    admin = await first.personas.admin();
    resets = new PasswordResets(first);
  });
  afterAll(async () => {
    for (const app of apps.reverse()) await app.close();
  });

  const duringStorm = async (victim: Registration, act: () => Promise<{ status: number }>): Promise<number> => {
    let count = 0;
    let isOver = false;
    let isRaging = (): void => undefined;
    const raging = new Promise<void>((resolve) => (isRaging = resolve));
    const storm = Array.from({ length: AT_ONCE }, async (_, i) => {
      const next = stormerOf(victim);
      while (!isOver) {
        count += 1;
        if (count === 3 * AT_ONCE) isRaging();
        await next(apps[i % instances] as TestApp, count);
      }
    });
    await raging;
    const { status } = await act();
    isOver = true;
    await Promise.all(storm);
    return status;
  };

  const passwords = { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
  const WAYS_OUT: [what: string, act: (user: User, resetToken: string) => Promise<{ status: number }>][] = [
    [
      'reporting a login',
      ({ client, token, refresh_token }) => client.post('/auth/its-not-me', { refresh_token }, { bearer: token }),
    ],
    ['resetting the password', (_user, resetToken) => resets.reset(resetToken)],
    [
      'changing the password',
      ({ api }) => api.post('/api/profile/password', { current_password: PASSWORD, ...passwords }),
    ],
    ['having the account disabled', ({ userId }) => admin.api.patch(`/api/users/${userId}`, { status: 'inactive' })],
  ];
  const ENDS_OF_SESSIONS: typeof WAYS_OUT = [
    ['ending one of these sessions', async ({ api }) => api.delete(`/api/login-history/${await newestOther(api)}`)],
    [
      'logging out everywhere',
      ({ api, refresh_token }) => api.post('/auth/logout', { refresh_token, all_sessions: true }),
    ],
    ['having all sessions ended', ({ userId }) => admin.api.delete(`/api/users/${userId}/login-history`)],
    [
      'having one of these sessions ended',
      async ({ api, userId }) => admin.api.delete(`/api/users/${userId}/login-history/${await newestOther(api)}`),
    ],
  ];

  const newestOther = async (api: User['api']): Promise<string> => {
    const { body } = await api.get('/api/login-history');
    return body.data.content.find(({ current }: { current: boolean }) => !current)._id;
  };

  const isOfSessions = Object.values(STORMS_OF_SESSIONS).includes(stormerOf);

  it.each([...WAYS_OUT, ...(isOfSessions ? ENDS_OF_SESSIONS : [])])(
    'does not keep its owner from %s',
    async (_what, act) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = await first.personas.user();
        const resetToken = await resets.tokenFor(user.registration.email);
        expect(await duringStorm(user.registration, () => act(user, resetToken))).toBe(200);
      }
    },
  );
}
