import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ApiResponse } from '../support/api-client.js';
import type { User } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { Sessions } from '../../src/login-history/index.js';
import { ProfileService } from '../../src/users/profile/profile.service.js';

describe('A session that has ended', () => {
  let test: TestApp;
  let admin: User;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000' } });
    admin = await test.personas.admin();
  });
  afterAll(() => test.close());

  const credential = ({ userId }: User) => ({ user: new Types.ObjectId(userId) });
  const by = (path: string) => (user: User) =>
    user.client.post(path, { refresh_token: user.refresh_token }, { bearer: user.token });

  describe.each<[how: string, code: string, end: (user: User) => Promise<ApiResponse>]>([
    ['by its-not-me', 'reported_not_me', by('/auth/its-not-me')],
    ['by a logout', 'logged_out', by('/auth/logout')],
    ['with its account', 'account_disabled', ({ userId }) => admin.api.delete(`/api/users/${userId}`)],
  ])('%s', (_how, code, end) => {
    it.each(['first_name', 'username'])('changes no %s with a request that was let in before', async (field) => {
      const user = await test.personas.user();
      const profiles = test.app.get(ProfileService, { strict: false });
      const change = profiles.change.bind(profiles);
      onTestFinished(() => void (profiles.change = change));
      profiles.change = async (...asked) => {
        expect((await end(user)).status).toBe(200);
        return change(...asked);
      };
      const name = `M_${user.userId}`;
      const answer = await user.api.patch('/api/profile', { [field]: name });
      expect([answer.status, answer.body.code]).toEqual([401, code]);
      const stored = await test.database.collection('users').findOne({ email: user.registration.email });
      expect(stored?.[field]).not.toBe(name);
    });

    it('ends no other with a request that was let in before', async () => {
      const user = await test.personas.user();
      await test.personas.login(user);
      const [{ _id: otherId }] = (await user.api.get('/api/login-history')).body.data.content as [{ _id: string }];
      const sessions = test.app.get(Sessions, { strict: false });
      const endOne = sessions.end.bind(sessions);
      onTestFinished(() => void (sessions.end = endOne));
      sessions.end = async (...asked) => {
        sessions.end = endOne;
        expect((await end(user)).status).toBe(200);
        return endOne(...asked);
      };
      const answer = await user.api.delete(`/api/login-history/${otherId}`);
      expect([answer.status, answer.body.code]).toEqual([401, code]);
    });
  });

  it('by a newer password reports no login, though storage still has it', async () => {
    const user = await test.personas.user();
    expect((await user.api.get('/api/profile')).status, 'it is in the cache').toBe(200);
    const auths = test.database.collection('auths');
    // A reset is committed, whose process died right then.
    await auths.updateOne(credential(user), { $inc: { credential_version: 1, recoveries: 1 } });
    const { status, body } = await by('/auth/its-not-me')(user);
    expect([status, body.code]).toEqual([401, 'password_changed']);
    expect(await auths.findOne(credential(user))).toMatchObject({ password_reset_required: false, recoveries: 1 });
  });

  it('by itself, several times at once, is told so like everybody who comes later', async () => {
    const user = await test.personas.user();
    const [{ _id }] = (await user.api.get('/api/login-history')).body.data.content as [{ _id: string }];
    const answers = await Promise.all(Array.from({ length: 4 }, () => user.api.delete(`/api/login-history/${_id}`)));
    const codes = answers.map(({ status, body }) => `${status} ${body.code}`);
    const refused = '401 session_revoked';
    expect(codes.sort()).toEqual(['200 undefined', refused, refused, refused]);
  });

  it('by several at once is recorded once', async () => {
    const user = await test.personas.user();
    const [{ _id }] = (await user.api.get('/api/login-history')).body.data.content as [{ _id: string }];
    const path = `/api/users/${user.userId}/login-history/${_id}`;
    const answers = await Promise.all(Array.from({ length: 4 }, () => admin.api.delete(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    const recorded = { kind: 'authn_token_revoked', session: _id };
    expect(await test.database.collection('security_events').countDocuments(recorded)).toBe(1);
  });
});
