import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Sessions } from '../../src/login-history/index.js';
import { SecurityEvents } from '../../src/security/index.js';
import type { User } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('A logout', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000' } });
  });
  afterAll(() => test.close());

  const logout = ({ client, token, refresh_token }: User, body: object = {}) =>
    client.post('/auth/logout', { refresh_token, ...body }, { bearer: token });
  const logoutsOf = async ({ userId }: User) => {
    await test.app.get(SecurityEvents).flush();
    const user = new Types.ObjectId(userId);
    return test.database.collection('security_events').countDocuments({ kind: 'authn_logout', user });
  };
  /** Something happens when the next logout has passed the guards. */
  const before = (method: 'end' | 'endAll', happen: () => Promise<void>) => {
    const sessions = test.app.get(Sessions);
    const original = sessions[method] as (...asked: unknown[]) => Promise<never>;
    const restore = () => Object.assign(sessions, { [method]: original });
    onTestFinished(() => void restore());
    Object.assign(sessions, {
      [method]: async (...asked: unknown[]) => {
        restore();
        await happen();
        return original.apply(sessions, asked);
      },
    });
  };

  it('everywhere that was let in before ends no session that was opened after its own had ended', async () => {
    const user = await test.personas.user();
    let later = '';
    before('endAll', async () => {
      expect((await logout(user, { all_sessions: true })).status).toBe(200);
      later = (await test.personas.login(user)).token;
    });
    const { status, body } = await logout(user, { all_sessions: true });
    expect([status, body.code]).toEqual([401, 'logged_out']);
    expect((await user.api.as({ bearer: later }).get('/api/profile')).status).toBe(200);
  });

  it('of one session, several times at once, is recorded once', async () => {
    const user = await test.personas.user();
    const answers = await Promise.all(Array.from({ length: 4 }, () => logout(user)));
    expect(await logoutsOf(user)).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('is not recorded where its-not-me has ended the session meanwhile', async () => {
    const user = await test.personas.user();
    const { refresh_token, token } = user;
    before('end', async () => {
      const reported = await user.client.post('/auth/its-not-me', { refresh_token }, { bearer: token });
      expect(reported.status).toBe(200);
    });
    const { status, body } = await logout(user);
    expect([status, body.code, await logoutsOf(user)]).toEqual([401, 'reported_not_me', 0]);
  });
});
