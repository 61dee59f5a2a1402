import { getModelToken } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnownDevicesRepository, SessionsRepository } from '../../src/login-history/index.js';
import { PasswordHasher } from '../../src/security/index.js';
import { NEW_PASSWORD, PasswordResets } from '../support/password-resets.js';
import { PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('A password reset', () => {
  let test: TestApp;
  let resets: PasswordResets;
  beforeAll(async () => {
    test = await startTestApp();
    resets = new PasswordResets(test);
  });
  afterAll(() => test.close());

  it('ends a session, too, that is opened and used while the reset is being stored', async () => {
    const user = await test.personas.user();
    const token = await resets.tokenFor(user.registration.email);
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
    expect((await resets.reset(token)).status).toBe(200);
    // With it the account is in the cache again.
    expect((await resets.login(user.registration.username, NEW_PASSWORD)).status).toBe(200);
    expect(await profile(straggler)).toBe(401);
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
      expect((await resets.login(registration.username, PASSWORD)).body.code).toBe('invalid_credentials');
      expect(await test.database.collection('login_histories').countDocuments({ user: user?._id })).toBe(0);
    }
  });

  it('lets nobody in with the old password whose account was being read when the password was reset', async () => {
    const { registration } = await test.personas.confirmed();
    const { email, username } = registration;
    const token = await resets.tokenFor(email);
    const auths = test.app.get<Model<unknown>>(getModelToken('Auth'), { strict: false });
    const findOne = auths.findOne.bind(auths);
    const state: { reset?: number } = {};
    auths.findOne = ((filter: object) => ({
      lean: async () => {
        auths.findOne = findOne;
        state.reset = (await resets.reset(token)).status;
        return findOne(filter).lean();
      },
    })) as unknown as typeof auths.findOne;
    expect((await resets.login(username, PASSWORD)).body.code).toBe('invalid_credentials');
    expect(state.reset).toBe(200);
    expect((await resets.login(username, NEW_PASSWORD)).status).toBe(200);
  });

  it('lets nobody in, and keeps no entry, whose session was being stored when the password was reset', async () => {
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const insert = sessions.insert.bind(sessions);
    for (const isStoredFirst of [false, true]) {
      const { registration } = await test.personas.confirmed();
      const { email, username } = registration;
      const token = await resets.tokenFor(email);
      const state: { reset?: number } = {};
      sessions.insert = async (session) => {
        sessions.insert = insert;
        if (isStoredFirst) await insert(session);
        state.reset = (await resets.reset(token)).status;
        if (!isStoredFirst) await insert(session);
      };
      expect((await resets.login(username, PASSWORD)).body.code).toBe('invalid_credentials');
      expect(state.reset).toBe(200);
      const user = await test.database.collection('users').findOne({ email });
      expect(await test.database.collection('login_histories').countDocuments({ user: user?._id })).toBe(0);
      expect((await resets.login(username, NEW_PASSWORD)).status).toBe(200);
    }
  });

  it('lets nobody in whose entry cannot be taken back either, and says the same', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await resets.tokenFor(registration.email);
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const { insert, withdraw } = sessions;
    sessions.insert = async (session) => {
      sessions.insert = insert;
      await sessions.insert(session);
      await resets.reset(token);
    };
    sessions.withdraw = () => Promise.reject(new Error('the database is away'));
    const answer = await resets.login(registration.username, PASSWORD);
    sessions.withdraw = withdraw;
    expect(answer.body.code).toBe('invalid_credentials');
  });

  it('ends the session of a login that was let in just before the password was reset, and says why', async () => {
    const { registration } = await test.personas.confirmed();
    const { email, username } = registration;
    const token = await resets.tokenFor(email);
    const devices = test.app.get(KnownDevicesRepository, { strict: false });
    const seeAgain = devices.seeAgain.bind(devices);
    const state: { reset?: number } = {};
    devices.seeAgain = async (sighting) => {
      devices.seeAgain = seeAgain;
      state.reset = (await resets.reset(token)).status;
      return seeAgain(sighting);
    };
    const { status, body } = await resets.login(username, PASSWORD);
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

  it('ends every session at once, though the database fails right after the change', async () => {
    const user = await test.personas.user();
    const token = await resets.tokenFor(user.registration.email);
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
      expect((await resets.reset(token)).status).toBe(200);
    } finally {
      sessions.deleteOutdated = deleteOutdated;
    }
    expect((await profile()).body.code).toBe('password_changed');
    expect((await resets.login(user.registration.username, NEW_PASSWORD)).status).toBe(200);
  });

  it('leaves no session of the old password, whatever logs in or refreshes at the same moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const token = await resets.tokenFor(user.registration.email);
      const [done, loggedIn, refreshed] = await Promise.all([
        resets.reset(token),
        resets.login(user.registration.username, PASSWORD),
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
