import { createConnection, type Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import type { ApiResponse } from '../support/api-client.js';
import { SECOND } from '../support/manual-clock.js';
import { MortalApp } from '../support/mortal-app.js';
import { newRegistration, PASSWORD, type Registration, type User } from '../support/personas.js';
import { API_KEY, type TestApp } from '../support/test-app.js';
import { FIREFOX } from '../support/user-agents.js';

const NEW_PASSWORD = 'Brand-new2$';
/** Until the mail of a worker that died is another's. */
const LEASE_MS = 20 * SECOND;
/** Between two mails to one recipient. */
const MAIL_PAUSE_MS = 61 * SECOND;

const login = (test: TestApp, { username }: Registration, password = PASSWORD) =>
  test.client().post('/auth/login', { login: username, password });
const verify = (test: TestApp, email: string, otp: string | null) =>
  test.client().post('/auth/verify-otp', { email, otp });
const reset = (test: TestApp, token: string | null) =>
  test.client().post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD });
const profile = (test: TestApp, bearer: string) => test.client().get('/api/profile', { bearer, apiKey: API_KEY });
const refresh = (test: TestApp, refresh_token: string) => test.client().post('/auth/refresh-token', { refresh_token });
const act = (test: TestApp, path: string, { token, refresh_token }: User) =>
  test.client().post(path, { refresh_token }, { bearer: token });

const administer = (test: TestApp, { token }: User) => test.client().as({ apiKey: API_KEY, bearer: token });
const disable = (test: TestApp, admin: User, { userId }: User) =>
  administer(test, admin).patch(`/api/users/${userId}`, { status: 'inactive' });

/** Tries what came by mail, newest first and each once, until one of it is taken. */
async function untilOneWorks(
  test: TestApp,
  email: string,
  pick: (mail: { otp: string | null; token: string | null; kind: string }) => string | null,
  attempt: (secret: string) => Promise<ApiResponse>,
): Promise<void> {
  const tried = new Set<string>();
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    for (const secret of (await test.inbox.mailsTo(email)).map(pick)) {
      if (secret === null || tried.has(secret)) continue;
      tried.add(secret);
      if ((await attempt(secret)).status === 200) return;
    }
  }
  throw new Error(`Nothing that came to ${email} was taken (${tried.size} tried)`);
}

/** A session is open, or has ended for a reason. */
const expectNoHalfEnds = async ({ database }: TestApp) => {
  const ended = await database.collection('ended_sessions').distinct('_id');
  expect(await database.collection('login_histories').countDocuments({ _id: { $in: ended } })).toBe(0);
};

const expectEnded = async (test: TestApp, { token, refresh_token }: User) => {
  expect((await profile(test, token)).status).toBe(401);
  expect((await refresh(test, refresh_token)).status).toBe(401);
};

/** The owner has a way back, and nobody else has any. */
const expectLockedDown = async (test: TestApp, user: User) => {
  await expectEnded(test, user);
  expect((await login(test, user.registration)).status).toBe(403);
  await untilOneWorks(
    test,
    user.registration.email,
    ({ kind, token }) => (kind === 'security-alert' ? token : null),
    (token) => reset(test, token),
  );
  expect((await login(test, user.registration, NEW_PASSWORD)).status).toBe(200);
};

/** Something a person does, and how that person goes on when the service died over it. */
interface Deed<S> {
  arrange(test: TestApp): Promise<S>;
  act(test: TestApp, subject: S): Promise<ApiResponse>;
  goOn(test: TestApp, subject: S): Promise<void>;
}
const deed = <S>(of: Deed<S>) => of as Deed<unknown>;

const DEEDS: Record<string, Deed<unknown>> = {
  registration: deed({
    arrange: async () => newRegistration(),
    act: (test, registration) => test.client().post('/auth/register', registration),
    goOn: async (test, registration) => {
      const again = await test.client().post('/auth/register', registration);
      expect([201, 422]).toContain(again.status);
      const { email } = registration;
      if (again.status === 422) expect((await test.client().post('/auth/resend-otp', { email })).status).toBe(200);
      await untilOneWorks(
        test,
        email,
        ({ otp }) => otp,
        (otp) => verify(test, email, otp),
      );
      expect((await login(test, registration)).status).toBe(200);
      const users = await test.database.collection('users').find({ email }).toArray();
      expect(users.length).toBe(1);
      expect(await test.database.collection('auths').countDocuments({ user: users[0]?._id })).toBe(1);
    },
  }),
  'e-mail verification': deed({
    arrange: async (test) => {
      const { registration } = await test.personas.visitor();
      const { otp } = await test.inbox.waitFor(registration.email, 'email-verification');
      return { registration, otp };
    },
    act: (test, { registration, otp }) => verify(test, registration.email, otp),
    goOn: async (test, { registration, otp }) => {
      expect([200, 400]).toContain((await verify(test, registration.email, otp)).status);
      expect((await login(test, registration)).status, 'a code that is used up has confirmed').toBe(200);
    },
  }),
  'another code': deed({
    arrange: async (test) => {
      const { registration } = await test.personas.visitor();
      test.clock.advance(MAIL_PAUSE_MS);
      return registration;
    },
    act: (test, { email }) => test.client().post('/auth/resend-otp', { email }),
    goOn: async (test, { email }) => {
      expect((await test.client().post('/auth/resend-otp', { email })).status).toBe(200);
      await untilOneWorks(
        test,
        email,
        ({ otp }) => otp,
        (otp) => verify(test, email, otp),
      );
    },
  }),
  login: deed({
    arrange: (test) => test.personas.confirmed(),
    act: (test, { registration }) => login(test, registration),
    goOn: async (test, { registration }) => {
      const { status, body } = await login(test, registration);
      expect(status).toBe(200);
      expect((await profile(test, body.data.token)).status).toBe(200);
    },
  }),
  refresh: deed({
    arrange: (test) => test.personas.user(),
    act: (test, { refresh_token }) => refresh(test, refresh_token),
    goOn: async (test, { refresh_token }) => {
      const { status, body } = await refresh(test, refresh_token);
      expect(status, 'the token that the client still has').toBe(200);
      expect((await profile(test, body.data.token)).status).toBe(200);
    },
  }),
  logout: deed({
    arrange: (test) => test.personas.user(),
    act: (test, user) => act(test, '/auth/logout', user),
    goOn: async (test, user) => {
      expect([200, 401]).toContain((await act(test, '/auth/logout', user)).status);
      await expectEnded(test, user);
    },
  }),
  'forgotten password': deed({
    arrange: (test) => test.personas.user(),
    act: (test, { registration: { email } }) => test.client().post('/auth/forgot-password', { email }),
    goOn: async (test, { registration }) => {
      const { email } = registration;
      expect((await login(test, registration)).status, 'the old password works until another is chosen').toBe(200);
      expect((await test.client().post('/auth/forgot-password', { email })).status).toBe(200);
      await untilOneWorks(
        test,
        email,
        ({ token }) => token,
        (token) => reset(test, token),
      );
      expect((await login(test, registration, NEW_PASSWORD)).status).toBe(200);
    },
  }),
  'password reset': deed({
    arrange: async (test) => {
      const user = await test.personas.user();
      const { email } = user.registration;
      await test.client().post('/auth/forgot-password', { email });
      return { user, resetToken: (await test.inbox.waitFor(email, 'password-reset')).token };
    },
    act: (test, { resetToken }) => reset(test, resetToken),
    goOn: async (test, { user, resetToken }) => {
      expect([200, 400]).toContain((await reset(test, resetToken)).status);
      expect((await login(test, user.registration, NEW_PASSWORD)).status).toBe(200);
      expect((await login(test, user.registration)).status).toBe(401);
      await expectEnded(test, user);
    },
  }),
  'its-not-me': deed({
    arrange: (test) => test.personas.user(),
    act: (test, user) => act(test, '/auth/its-not-me', user),
    goOn: async (test, user) => {
      expect([200, 401]).toContain((await act(test, '/auth/its-not-me', user)).status);
      await expectLockedDown(test, user);
    },
  }),
  'disabling of an account': deed({
    arrange: async (test) => ({ admin: await test.personas.admin(), user: await test.personas.user() }),
    act: (test, { admin, user }) => disable(test, admin, user),
    goOn: async (test, { admin, user }) => {
      expect((await disable(test, admin, user)).body.data.status).toBe('inactive');
      const query = `?search=${user.registration.username}&status=inactive`;
      const { body } = await administer(test, admin).get(`/api/users${query}`);
      expect(body.data.content.length, 'it is listed as what it is').toBe(1);
      await expectEnded(test, user);
    },
  }),
  'report of a login': deed({
    arrange: async (test) => {
      const user = await test.personas.user();
      const { username, email } = user.registration;
      const headers = { 'user-agent': FIREFOX };
      const [path, credentials] = ['/auth/login', { login: username, password: PASSWORD }];
      await test.client('203.0.113.7').post(path, credentials, { headers });
      const { link } = await test.inbox.waitFor(email, 'new-device');
      return { user, linkToken: new URL(link as string).searchParams.get('token') };
    },
    act: (test, { linkToken }) => test.client().post('/auth/report-login', { token: linkToken }),
    goOn: async (test, { user, linkToken }) => {
      const again = await test.client().post('/auth/report-login', { token: linkToken });
      expect([200, 400]).toContain(again.status);
      await expectLockedDown(test, user);
    },
  }),
};

describe('A service that dies between two writes', () => {
  let store: EmbeddedMongodb;
  let control: Connection;
  let app: MortalApp;
  let aheadMs = 0;
  const burials: Promise<void>[] = [];

  const start = async () => {
    app = await MortalApp.start(store.uri);
    app.test.clock.advance(aheadMs);
  };
  beforeAll(async () => {
    store = await startEmbeddedMongodb();
    control = await createConnection(store.uri).asPromise();
    await start();
  });
  afterAll(async () => {
    await Promise.all([...burials, app.bury()]);
    await control.close();
    await store.close();
  }, 60_000);

  /** @returns false when the deed has fewer writes, and so was done */
  const dieOver = async (work: Promise<ApiResponse>): Promise<boolean> => {
    const answer = work.catch(() => null);
    const isDead = await Promise.race([answer.then(() => false), app.death.then(() => true)]);
    if (!isDead) {
      app.live();
      expect((await answer)?.status).toBeLessThan(300);
      return false;
    }
    const dead = app;
    burials.push(answer.then(() => dead.bury()));
    aheadMs = dead.test.clock.nowMs() - Date.now() + LEASE_MS;
    // What the database does by itself after a minute.
    await control.db?.admin().command({ endSessions: dead.sessionsLeft });
    await start();
    return true;
  };

  for (const [name, { arrange, act: perform, goOn }] of Object.entries(DEEDS)) {
    it(`leaves everybody a way on: ${name}, at each of its writes`, async () => {
      for (const mode of ['cut before', 'cut after'] as const) {
        let write = 1;
        for (; ; write += 1) {
          const subject = await arrange(app.test);
          app.dieAtWrite(write, mode);
          if (!(await dieOver(perform(app.test, subject)))) break;
          await expectNoHalfEnds(app.test);
          await goOn(app.test, subject);
        }
        expect(write, 'it writes at least once').toBeGreaterThan(1);
      }
    });
  }
});
