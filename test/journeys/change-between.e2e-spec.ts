import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionsRepository } from '../../src/login-history/index.js';
import { AccountReader, Authenticator } from '../../src/security/index.js';
import { NEW_PASSWORD } from '../support/password-resets.js';
import { PASSWORD, type User } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('A change of the password', () => {
  let test: TestApp;
  let user: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000' } });
  });
  afterAll(() => test.close());

  const change = () =>
    user.api.post('/api/profile/password', {
      current_password: PASSWORD,
      password: NEW_PASSWORD,
      password_confirmation: NEW_PASSWORD,
    });
  const refresh = () => test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token });
  /** Changes the password right after the next read of the session, which came before. */
  const changeAfter = async (read: 'readSession' | 'findGeneration') => {
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const original = sessions[read].bind(sessions) as (id: string) => Promise<never>;
    let answer: Promise<{ status: number }> | undefined;
    sessions[read] = async (id: string) => {
      sessions[read] = original;
      const session = await original(id);
      answer = change();
      await answer;
      return session;
    };
    // What reads the account at the same time is slower, and finds it changed.
    const accounts = test.app.get(AccountReader, { strict: false });
    const readAccess = accounts.readAccess.bind(accounts);
    accounts.readAccess = async (id) => {
      accounts.readAccess = readAccess;
      await expect.poll(() => answer).toBeDefined();
      await answer;
      return readAccess(id);
    };
    return async () => (await answer)?.status;
  };

  it('does not end the session that it keeps, for a request that reads the session before and the account after', async () => {
    user = await test.personas.user();
    await test.app.get(Authenticator).forgetAccount(user.userId);
    const changed = await changeAfter('readSession');
    const { status } = await user.api.get('/api/profile');
    expect([status, await changed()]).toEqual([200, 200]);
  });

  it('nor for a refresh that is repeated at that moment', async () => {
    user = await test.personas.user();
    expect((await refresh()).status).toBe(200);
    const changed = await changeAfter('findGeneration');
    const { status } = await refresh();
    expect([status, await changed()]).toEqual([200, 200]);
  });

  it('is refused to a session that an earlier change was to end, and has not got to yet', async () => {
    user = await test.personas.user();
    expect((await user.api.get('/api/profile')).status, 'it is in the cache').toBe(200);
    const auths = test.database.collection('auths');
    const mine = { user: new Types.ObjectId(user.userId) };
    // A lockdown is committed, whose process died right then.
    await auths.updateOne(mine, { $inc: { credential_version: 1 }, $set: { password_reset_required: true } });
    expect((await change()).status).toBe(401);
    expect(await auths.findOne(mine)).toMatchObject({ password_reset_required: true, credential_version: 2 });
  });
});
