import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDED_TOGETHER } from '../../src/login-history/sessions/sessions.repository.js';
import { DAY, SECOND } from '../support/manual-clock.js';
import { PasswordResets } from '../support/password-resets.js';
import type { User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

/** Sessions that somebody who has the password, or a job that logs in for each run, can have made. */
const LIVE = 1_700;
const RUN_OUT = 800;
const OLD = 1_600;

describe('An account with very many sessions', () => {
  let test: TestApp;
  let atOnce = 0;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000' } });
    test.database.set(
      'debug',
      (collection: string, method: string, first: { length: number; _id?: { $in: unknown[] } }) => {
        if (`${collection}.${method}` === 'ended_sessions.bulkWrite') atOnce = Math.max(atOnce, first.length);
        if (`${collection}.${method}` === 'login_histories.deleteMany')
          atOnce = Math.max(atOnce, first._id?.$in.length ?? Infinity);
      },
    );
  });
  afterAll(() => test.close());

  const entries = ({ userId }: User) => ({ user: new Types.ObjectId(userId) });
  const makeMany = async (user: User) => {
    const history = test.database.collection('login_histories');
    const own = await history.findOne(entries(user));
    const copy = (ageMs: number) => {
      const at = new Date(test.clock.nowMs() - ageMs);
      return { ...own, _id: new Types.ObjectId(), login_at: at, rotated_at: at };
    };
    const copies = [
      ...Array.from({ length: LIVE }, (_, i) => copy(i * SECOND)),
      ...Array.from({ length: RUN_OUT }, (_, i) => copy(20 * DAY + i * SECOND)),
      ...Array.from({ length: OLD }, (_, i) => copy(40 * DAY + i * SECOND)),
    ];
    await history.insertMany(copies);
    expect(await history.countDocuments(entries(user))).toBe(1 + LIVE + RUN_OUT + OLD);
    return copies[LIVE - 1]?._id;
  };
  const admin = async () => test.client().as({ apiKey: API_KEY, bearer: (await test.personas.admin()).token });

  const endings: Record<string, [code: string, (user: User) => Promise<{ status: number }>]> = {
    'is locked down': [
      'reported_not_me',
      ({ client, token, refresh_token }) => client.post('/auth/its-not-me', { refresh_token }, { bearer: token }),
    ],
    'is logged out everywhere': [
      'logged_out',
      ({ client, token, refresh_token }) =>
        client.post('/auth/logout', { refresh_token, all_sessions: true }, { bearer: token }),
    ],
    'gets a new password': [
      'password_changed',
      async ({ registration }) => {
        const resets = new PasswordResets(test);
        return resets.reset(await resets.tokenFor(registration.email));
      },
    ],
    'is disabled': [
      'account_disabled',
      async ({ userId }) => (await admin()).patch(`/api/users/${userId}`, { status: 'inactive' }),
    ],
  };
  for (const [what, [code, end]] of Object.entries(endings)) {
    it(`${what} like any other, and none of them is left`, async () => {
      const user = await test.personas.user();
      const lastLive = await makeMany(user);
      atOnce = 0;
      expect((await end(user)).status).toBe(200);
      expect(atOnce, 'of any number of sessions, no transaction has many').toBe(ENDED_TOGETHER);
      expect((await user.api.get('/api/profile')).body.code).toBe(code);
      const left = () => test.database.collection('login_histories').countDocuments(entries(user));
      await expect.poll(left, { timeout: 10_000 }).toBe(0);
      const ended = test.database.collection('ended_sessions');
      expect(await ended.findOne({ _id: lastLive }), 'its tokens are refused with the reason').toMatchObject({
        reason: code,
      });
      expect(await ended.countDocuments({ reason: code }), 'of those that ran out there are none').toBe(LIVE + 1);
    });
  }

  it('leaves no entry behind when it is erased', async () => {
    const user = await test.personas.user();
    await makeMany(user);
    expect((await (await admin()).delete(`/api/users/${user.userId}`)).status).toBe(200);
    const history = test.database.collection('login_histories');
    await expect.poll(() => history.countDocuments(entries(user)), { timeout: 10_000 }).toBe(0);
    const login_at = new Date(test.clock.nowMs() - 40 * DAY);
    const old = () => ({ _id: new Types.ObjectId(), ...entries(user), login_at, rotated_at: login_at });
    await history.insertMany(Array.from({ length: OLD }, old));
    await test.command('erase-account', user.registration.email);
    expect(await history.countDocuments(entries(user))).toBe(0);
  });
});
