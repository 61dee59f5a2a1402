import { randomUUID } from 'node:crypto';
import { getModelToken } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnownDevicesRepository, SessionsRepository } from '../../src/login-history/index.js';
import { NewPasswords, PasswordHasher } from '../../src/security/index.js';
import { usesRedis } from '../support/backends.js';
import { targetsOf } from '../support/inbox.js';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'Brand-new2$';

describe('Forgotten password', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const forgot = (email: string) => test.client().post('/auth/forgot-password', { email });
  const reset = (token: string, password = NEW_PASSWORD) =>
    test.client().post('/auth/reset-password', { token, password, password_confirmation: password });
  const login = (username: string, password: string) =>
    test.client().post('/auth/login', { login: username, password });
  const tokenFor = async (email: string, count = 1) => {
    await forgot(email);
    return (await test.inbox.waitFor(email, 'password-reset', count)).token as string;
  };
  const refusal = {
    status_code: 400,
    status: 'ERROR',
    code: 'invalid_reset_token',
    message: 'Invalid or expired token',
    attempts_remaining: expect.any(Number),
  };

  it('mails a link with a token', async () => {
    const { registration } = await test.personas.confirmed();
    // It goes to the address as it was registered, however it is typed here.
    const { status, body } = await forgot(registration.email.toUpperCase());
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    const mail = await test.inbox.waitFor(registration.email, 'password-reset');
    expect(mail.to).toBe(registration.email);
    expect(mail.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(mail.link).toBe(`https://app.example/reset-password?token=${mail.token}`);
    for (const part of [mail.text, mail.html]) expect(part).toContain(mail.link);
    for (const part of [mail.text, mail.html]) {
      expect(part.replaceAll(mail.link as string, '')).toContain(mail.token);
      expect(part).toContain('15 minutes');
    }
    expect(targetsOf(mail)).toEqual([mail.link, mail.link]);
    const stored = JSON.stringify(await test.database.collection('one_time_secrets').find().toArray());
    expect(stored).not.toContain(mail.token);
  });

  it('builds the link from the settings, whatever the request claims', async () => {
    const { registration } = await test.personas.confirmed();
    await test.client().request('/auth/forgot-password', {
      method: 'POST',
      body: { email: registration.email },
      headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    });
    const mail = await test.inbox.waitFor(registration.email, 'password-reset');
    expect(mail.link).toMatch(/^https:\/\/app\.example\//);
    expect(mail.html).not.toContain('evil.example');
  });

  it('changes nothing by itself', async () => {
    const user = await test.personas.user();
    await tokenFor(user.registration.email);
    expect((await login(user.registration.username, PASSWORD)).status).toBe(200);
    expect((await test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY })).status).toBe(200);
  });

  it('answers alike for known and unknown addresses, and mails nobody there', async () => {
    const { registration } = await test.personas.confirmed();
    const known = await forgot(registration.email);
    const unknown = await forgot('nobody-here@example.com');
    expect(unknown.text).toBe(known.text);
    expect(unknown.status).toBe(known.status);
    const mails = await test.database.collection('mails').find({ to: 'nobody-here@example.com' }).toArray();
    expect(mails.map(({ state }) => state)).toEqual(['decoy']);
    expect(mails[0]?.purge_at, 'who has no account is not kept').toEqual(mails[0]?.expires_at);
  });

  it('mails at most once a minute and five times an hour, silently', async () => {
    const { registration } = await test.personas.confirmed();
    for (let request = 0; request < 20; request += 1) {
      expect((await forgot(registration.email)).status).toBe(200);
      test.clock.advance(30 * SECOND);
    }
    expect(
      await test.database.collection('mails').countDocuments({ to: registration.email, kind: 'password-reset' }),
    ).toBe(5);
  });

  it('answers parallel requests alike, with one mail, whether or not there is an account', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { registration } = await test.personas.confirmed();
      for (const email of [registration.email, `nobody_${round}@example.com`]) {
        const answers = await Promise.all(Array.from({ length: 8 }, () => forgot(email)));
        expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
        expect(await test.database.collection('mails').countDocuments({ to: email, kind: 'password-reset' })).toBe(1);
      }
    }
  });

  it('lets a new password be chosen, once', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await tokenFor(registration.email);
    const { status, body } = await reset(token);
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    expect((await login(registration.username, PASSWORD)).status).toBe(401);
    expect((await login(registration.username, NEW_PASSWORD)).status).toBe(200);
    const again = await reset(token, 'Another-one3%');
    expect(again.status).toBe(400);
    expect(again.body).toEqual(refusal);
    const notice = await test.inbox.waitFor(registration.email, 'password-changed');
    const { text, html } = notice;
    expect(text).toContain('https://app.example/forgot-password');
    expect(targetsOf(notice)).toEqual(Array(2).fill('https://app.example/forgot-password'));
    for (const part of [text, html]) {
      expect(part).toContain('All devices were logged out');
      expect(part).toContain('except to log in again.');
      expect(part).not.toContain('other devices');
    }
  });

  it('ends every session', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    const token = await tokenFor(user.registration.email);
    expect((await reset(token)).status).toBe(200);
    for (const session of [user, other]) {
      const { status, body } = await test.client().get('/api/profile', { bearer: session.token, apiKey: API_KEY });
      expect(status).toBe(401);
      expect(body.code).toBe('password_changed');
      const refreshed = await test.client().post('/auth/refresh-token', { refresh_token: session.refresh_token });
      expect(refreshed.body.code).toBe('password_changed');
    }
    const { _id } = (await test.database.collection('users').findOne({ email: user.registration.email })) ?? {};
    expect(await test.database.collection('login_histories').countDocuments({ user: _id })).toBe(0);
  });

  it('ends a session, too, that is opened and used while the reset is being stored', async () => {
    const user = await test.personas.user();
    const token = await tokenFor(user.registration.email);
    const profile = async (bearer: string) =>
      (await test.client().get('/api/profile', { bearer, apiKey: API_KEY })).status;
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const deleteOutdated = sessions.deleteOutdated.bind(sessions);
    let straggler = '';
    sessions.deleteOutdated = async (...which) => {
      sessions.deleteOutdated = deleteOutdated;
      const ended = await deleteOutdated(...which);
      straggler = (await test.personas.login(user)).token;
      expect(await profile(straggler)).toBe(200);
      return ended;
    };
    expect((await reset(token)).status).toBe(200);
    // With it the account is in the cache again.
    expect((await login(user.registration.username, NEW_PASSWORD)).status).toBe(200);
    expect(await profile(straggler)).toBe(401);
  });

  it('refuses a token after 15 minutes', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await tokenFor(registration.email);
    test.clock.advance(15 * MINUTE + SECOND);
    expect((await reset(token)).body).toEqual(refusal);
  });

  it('honours the newest token alone', async () => {
    const { registration } = await test.personas.confirmed();
    const old = await tokenFor(registration.email);
    test.clock.advance(MINUTE);
    const fresh = await tokenFor(registration.email, 2);
    expect((await reset(old)).body).toEqual(refusal);
    expect((await reset(fresh)).status).toBe(200);
  });

  it('refuses a token that expires or is replaced while the new password is hashed', async () => {
    const hasher = test.app.get(PasswordHasher, { strict: false });
    const hash = hasher.hash.bind(hasher);
    const replace = async (email: string) => {
      test.clock.advance(MINUTE);
      await forgot(email);
    };
    for (const meanwhile of [replace, () => Promise.resolve(test.clock.advance(15 * MINUTE))]) {
      const { registration } = await test.personas.confirmed();
      const token = await tokenFor(registration.email);
      hasher.hash = async (password) => {
        hasher.hash = hash;
        await meanwhile(registration.email);
        return hash(password);
      };
      expect((await reset(token)).body).toEqual(refusal);
      expect((await login(registration.username, PASSWORD)).status).toBe(200);
    }
  });

  it('refuses what was never a token, and an OTP', async () => {
    const { registration } = await test.personas.visitor();
    const { otp } = await test.inbox.waitFor(registration.email, 'email-verification');
    for (const token of ['x'.repeat(43), otp as string]) expect((await reset(token)).body).toEqual(refusal);
  });

  it('refuses the token of an account that was disabled meanwhile', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await tokenFor(registration.email);
    const user = await test.database.collection('users').findOne({ email: registration.email });
    const setDisabled = (disabled_at: Date | null) =>
      test.database.collection('auths').updateOne({ user: user?._id }, { $set: { disabled_at } });
    await setDisabled(new Date());
    expect((await reset(token)).body).toEqual(refusal);
    await setDisabled(null);
    expect((await login(registration.username, PASSWORD)).status).toBe(200);
  });

  it('takes the present password for a new one, where nobody else is known to have it', async () => {
    const { registration } = await test.personas.confirmed();
    expect((await reset(await tokenFor(registration.email), PASSWORD)).status).toBe(200);
    expect((await login(registration.username, PASSWORD)).status).toBe(200);
  });

  it('lets nobody in whose login was under way when the password was reset or the account disabled', async () => {
    const hasher = test.app.get(PasswordHasher, { strict: false });
    const verify = hasher.verify.bind(hasher);
    for (const change of [{ $inc: { credential_version: 1 } }, { $set: { disabled_at: new Date() } }]) {
      const { registration } = await test.personas.confirmed();
      const user = await test.database.collection('users').findOne({ email: registration.email });
      hasher.verify = async (...passwords) => {
        hasher.verify = verify;
        const isRight = await verify(...passwords);
        await test.database.collection('auths').updateOne({ user: user?._id }, change);
        return isRight;
      };
      expect((await login(registration.username, PASSWORD)).body.code).toBe('invalid_credentials');
      expect(await test.database.collection('login_histories').countDocuments({ user: user?._id })).toBe(0);
    }
  });

  it('lets nobody in with the old password whose account was being read when the password was reset', async () => {
    const { registration } = await test.personas.confirmed();
    const { email, username } = registration;
    const token = await tokenFor(email);
    const auths = test.app.get<Model<unknown>>(getModelToken('Auth'), { strict: false });
    const findOne = auths.findOne.bind(auths);
    const state: { reset?: number } = {};
    auths.findOne = ((filter: object) => ({
      lean: async () => {
        auths.findOne = findOne;
        state.reset = (await reset(token)).status;
        return findOne(filter).lean();
      },
    })) as unknown as typeof auths.findOne;
    expect((await login(username, PASSWORD)).body.code).toBe('invalid_credentials');
    expect(state.reset).toBe(200);
    expect((await login(username, NEW_PASSWORD)).status).toBe(200);
  });

  it('lets nobody in, and keeps no entry, whose session was being stored when the password was reset', async () => {
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const insert = sessions.insert.bind(sessions);
    for (const isStoredFirst of [false, true]) {
      const { registration } = await test.personas.confirmed();
      const { email, username } = registration;
      const token = await tokenFor(email);
      const state: { reset?: number } = {};
      sessions.insert = async (session) => {
        sessions.insert = insert;
        if (isStoredFirst) await insert(session);
        state.reset = (await reset(token)).status;
        if (!isStoredFirst) await insert(session);
      };
      expect((await login(username, PASSWORD)).body.code).toBe('invalid_credentials');
      expect(state.reset).toBe(200);
      const user = await test.database.collection('users').findOne({ email });
      expect(await test.database.collection('login_histories').countDocuments({ user: user?._id })).toBe(0);
      expect((await login(username, NEW_PASSWORD)).status).toBe(200);
    }
  });

  it('lets nobody in whose entry cannot be taken back either, and says the same', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await tokenFor(registration.email);
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const { insert, withdraw } = sessions;
    sessions.insert = async (session) => {
      sessions.insert = insert;
      await sessions.insert(session);
      await reset(token);
    };
    sessions.withdraw = () => Promise.reject(new Error('the database is away'));
    const answer = await login(registration.username, PASSWORD);
    sessions.withdraw = withdraw;
    expect(answer.body.code).toBe('invalid_credentials');
  });

  it('ends the session of a login that was let in just before the password was reset, and says why', async () => {
    const { registration } = await test.personas.confirmed();
    const { email, username } = registration;
    const token = await tokenFor(email);
    const devices = test.app.get(KnownDevicesRepository, { strict: false });
    const seeAgain = devices.seeAgain.bind(devices);
    const state: { reset?: number } = {};
    devices.seeAgain = async (sighting) => {
      devices.seeAgain = seeAgain;
      state.reset = (await reset(token)).status;
      return seeAgain(sighting);
    };
    const { status, body } = await login(username, PASSWORD);
    expect([status, state.reset]).toEqual([200, 200]);
    const answer = await test.client().get('/api/profile', { bearer: body.data.token, apiKey: API_KEY });
    expect([answer.status, answer.body.code]).toEqual([401, 'password_changed']);
    const user = await test.database.collection('users').findOne({ email });
    expect(await test.database.collection('login_histories').countDocuments({ user: user?._id })).toBe(0);
  });

  it('leaves nobody in who knows the old password, however many log in with it at that moment', async () => {
    const unlimited = await startTestApp({ env: { AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' } });
    const client = unlimited.client();
    let logins = 0;
    try {
      for (let round = 0; round < 15; round += 1) {
        const { registration } = await unlimited.personas.confirmed();
        await client.post('/auth/forgot-password', { email: registration.email });
        const { token } = await unlimited.inbox.waitFor(registration.email, 'password-reset');
        const sessions: string[] = [];
        const change = { isDone: false };
        const logInAgainAndAgain = async () => {
          while (!change.isDone) {
            const answer = await client.post('/auth/login', { login: registration.username, password: PASSWORD });
            if (answer.status === 200) sessions.push(answer.body.data.token);
          }
        };
        const loops = Array.from({ length: 12 }, logInAgainAndAgain);
        const passwords = { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
        const { status } = await client.post('/auth/reset-password', { token, ...passwords });
        change.isDone = true;
        await Promise.all(loops);
        expect(status).toBe(200);
        logins += sessions.length;
        for (const bearer of sessions)
          expect((await client.get('/api/profile', { bearer, apiKey: API_KEY })).status).toBe(401);
      }
      expect(logins).toBeGreaterThan(0);
    } finally {
      await unlimited.close();
    }
  });

  it('ends the delay of logins, also while Redis is down', async () => {
    const { registration } = await test.personas.confirmed();
    const guess = () => login(registration.username, 'Wrong-pass1');
    for (let i = 0; i < 21; i += 1) await guess();
    expect((await login(registration.username, PASSWORD)).status).toBe(429);
    const token = await tokenFor(registration.email);
    if (usesRedis) await test.client().patch('/dev/faults', { redis: 'down' });
    const { status } = await reset(token);
    await test.client().delete('/dev/faults');
    expect(status).toBe(200);
    expect((await login(registration.username, NEW_PASSWORD)).status).toBe(200);
  });

  it('ends every session at once, though the database fails right after the change', async () => {
    const user = await test.personas.user();
    const token = await tokenFor(user.registration.email);
    const profile = () => test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY });
    expect((await profile()).status).toBe(200);
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const deleteOutdated = sessions.deleteOutdated.bind(sessions);
    let calls = 0;
    sessions.deleteOutdated = (...outdated) => {
      calls += 1;
      return calls === 2 ? Promise.reject(new Error('for once')) : deleteOutdated(...outdated);
    };
    try {
      expect((await reset(token)).status).toBe(500);
    } finally {
      sessions.deleteOutdated = deleteOutdated;
    }
    expect((await profile()).body.code).toBe('password_changed');
    expect((await login(user.registration.username, NEW_PASSWORD)).status).toBe(200);
  });

  it('refuses the token of an account that goes while the new password is hashed', async () => {
    const { registration } = await test.personas.visitor();
    const token = await tokenFor(registration.email);
    const passwords = test.app.get(NewPasswords, { strict: false });
    const hash = passwords.hash.bind(passwords);
    passwords.hash = async (...given) => {
      passwords.hash = hash;
      const user = await test.database.collection('users').findOneAndDelete({ email: registration.email });
      await test.database.collection('auths').deleteOne({ user: user?._id });
      return hash(...given);
    };
    expect((await reset(token)).body).toEqual(refusal);
  });

  it('keeps the token when the new password is refused', async () => {
    const { registration } = await test.personas.confirmed({ email: `Ada1.${randomUUID()}@example.com` });
    const token = await tokenFor(registration.email);
    expect((await reset(token, registration.email)).body.errors[0]).toEqual({
      field: 'password',
      message: 'password must not be your e-mail address or username',
    });
    const weak = await reset(token, 'weak');
    expect(weak.status).toBe(422);
    expect(weak.body.errors[0]).toEqual({ field: 'password', message: 'password must be at least 8 characters long' });
    expect((await reset(token, `Aa1$${'é'.repeat(35)}`)).body.errors[0].message).toMatch(/72 bytes/);
    const confirmation = await test
      .client()
      .post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: 'x' });
    expect(confirmation.body.errors[0].field).toBe('password_confirmation');
    expect((await reset(token)).status).toBe(200);
  });

  it('lets one of parallel resets win, and only its password log in', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { registration } = await test.personas.confirmed();
      const token = await tokenFor(registration.email);
      const passwords = ['First-one1@', 'Second-one2@'];
      const answers = await Promise.all(passwords.map((password) => reset(token, password)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const winner = answers.findIndex(({ status }) => status === 200);
      const logins = await Promise.all(passwords.map((password) => login(registration.username, password)));
      expect(logins.map(({ status }) => status)).toEqual(winner === 0 ? [200, 401] : [401, 200]);
    }
  });

  it('leaves no session of the old password, whatever logs in or refreshes at the same moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const token = await tokenFor(user.registration.email);
      const [done, loggedIn, refreshed] = await Promise.all([
        reset(token),
        login(user.registration.username, PASSWORD),
        test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token }),
      ]);
      expect(done.status).toBe(200);
      for (const { status, body } of [loggedIn, refreshed]) {
        expect([200, 401]).toContain(status);
        if (status !== 200) continue;
        expect((await test.client().get('/api/profile', { bearer: body.data.token, apiKey: API_KEY })).status).toBe(
          401,
        );
        const again = await test.client().post('/auth/refresh-token', { refresh_token: body.data.refresh_token });
        expect(again.status).toBe(401);
      }
    }
  });
});
