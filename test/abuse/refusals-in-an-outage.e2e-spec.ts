import { setTimeout as pause } from 'node:timers/promises';
import { Types } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { SecurityEvents } from '../../src/security/index.js';
import type { ApiResponse } from '../support/api-client.js';
import { until } from '../support/bounded.js';
import { type Command, delayOnce, failTimes, judgeCommands } from '../support/command-judge.js';
import { SECOND } from '../support/manual-clock.js';
import { NEW_PASSWORD, PasswordResets } from '../support/password-resets.js';
import { newRegistration, PASSWORD, type User } from '../support/personas.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX } from '../support/user-agents.js';

const CONFLICT = { code: 112, codeName: 'WriteConflict', errorLabels: ['TransientTransactionError'] };
const PASSWORDS = { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };

describe('What an outage refuses', () => {
  let store: EmbeddedMongodb;
  let proxy: TcpProxy;
  let test: TestApp;
  let resets: PasswordResets;
  beforeAll(async () => {
    store = await startEmbeddedMongodb();
    proxy = await TcpProxy.before(store.uri);
    const env = { MONGODB_URI: proxy.mongodbUri, AUTH_RATE_LIMIT: '100000', RATE_LIMIT: '100000' };
    test = await startTestApp({ env });
    resets = new PasswordResets(test);
  });
  afterAll(async () => {
    await test.close();
    await proxy.close();
    await store.close();
  });
  beforeEach(() => {
    proxy.judge = () => 'pass';
  });

  const judge = (verdictOf: Parameters<typeof judgeCommands>[1]) => judgeCommands(proxy, verdictOf);
  const reads = (wanted: string) => (command: Command) => command.name === 'find' && command.collection === wanted;

  const login = ({ registration: { username } }: Pick<User, 'registration'>, password = PASSWORD) =>
    test.client().post('/auth/login', { login: username, password });
  const profile = ({ token }: User) => test.client().get('/api/profile', { bearer: token, apiKey: API_KEY });
  const sessionsOf = ({ userId }: Pick<User, 'userId'>) =>
    test.database.collection('login_histories').countDocuments({ user: new Types.ObjectId(userId) });
  const eventsOf = async (userId: string, kind: string) => {
    await test.app.get(SecurityEvents, { strict: false }).flush();
    return test.database.collection('security_events').countDocuments({ user: new Types.ObjectId(userId), kind });
  };

  const ENDS: Record<string, (user: User, resetToken: string) => Promise<ApiResponse>> = {
    'a reset of the password': (_user, token) => resets.reset(token),
    'a change of the password': ({ api }) =>
      api.post('/api/profile/password', { current_password: PASSWORD, ...PASSWORDS }),
    'a report of a login': ({ client, token, refresh_token }) =>
      client.post('/auth/its-not-me', { refresh_token }, { bearer: token }),
    'a logout everywhere': ({ client, token, refresh_token }) =>
      client.post('/auth/logout', { refresh_token, all_sessions: true }, { bearer: token }),
  };
  /** Of an end that begins anew, all sessions are left to what follows its commit. */
  const CASES = Object.keys(ENDS).flatMap((what) => [0, 1].map((conflicts) => [what, conflicts] as const));
  it.each(CASES)('is not %s after %i conflicts: what follows its commit is done later', async (what, conflicts) => {
    let left = conflicts;
    const user = await test.personas.user();
    const other = { ...user, ...(await test.personas.login(user)) };
    for (const one of [user, other]) expect((await profile(one)).status).toBe(200);
    const resetToken = await resets.tokenFor(user.registration.email);
    let isCommitted = false;
    let failures = 0;
    judge(({ name, collection, isInTransaction }, fail) => {
      const isMeant = isInTransaction || what.includes('logout');
      if (isCommitted && isMeant && collection === 'login_histories') {
        failures += 1;
        return fail();
      }
      if (name === 'commitTransaction' && (left -= 1) >= 0) return fail(CONFLICT);
      isCommitted ||= name === 'commitTransaction';
      return 'pass';
    });
    const { status, text } = await ENDS[what]!(user, resetToken);
    expect(status, text).toBe(200);
    expect(failures).toBeGreaterThan(0);
    // It fills the caches again, in which nothing must be left of others.
    if (what.includes('change')) expect((await profile(user)).status).toBe(200);
    if (!what.includes('logout')) expect((await profile(other)).status).toBe(401);
    let isDoneLater = what.includes('logout');
    judge(({ name }) => {
      isDoneLater ||= name === 'commitTransaction';
      return 'pass';
    });
    expect((await profile(other)).status).toBe(401);
    await until(async () => isDoneLater && (await sessionsOf(user)) === (what.includes('change') ? 1 : 0));
  });

  const COMMIT_UNKNOWN = { code: 262, codeName: 'ExceededTimeLimit', errorLabels: ['RetryableWriteError'] };
  it('is not committed after its answer, nor asked for without a pause', async () => {
    const registration = newRegistration();
    let commits = 0;
    judge(({ name }, fail) => {
      if (name !== 'commitTransaction') return 'pass';
      commits += 1;
      return fail(COMMIT_UNKNOWN);
    });
    const refused = await test.client().post('/auth/register', registration);
    expect(refused.status).toBe(503);
    expect(commits).toBeGreaterThan(10);
    expect(commits).toBeLessThan(500);
    await pause(500);
    proxy.judge = () => 'pass';
    await pause(500);
    expect(await test.database.collection('users').countDocuments({ email: registration.email })).toBe(0);
  });

  it('is not a commit before which the connection is reset', async () => {
    const user = await test.personas.user();
    const rename = (first_name: string) => user.api.patch('/api/profile', { first_name });
    const names: string[] = [];
    judge(({ name, isInTransaction }) => {
      if (isInTransaction) names.push(name);
      return 'pass';
    });
    await rename('Augusta');
    const last = names.indexOf('commitTransaction');
    expect(last).toBeGreaterThan(0);
    for (let round = 0; round < 10; round += 1) {
      let count = 0;
      judge(({ isInTransaction }) => (isInTransaction && (count += 1) === last ? 'reset after its answer' : 'pass'));
      const { status, text } = await rename(`Ada ${'b'.repeat(round + 1)}`);
      // The store ends a transaction with its connection, and the service begins it anew.
      expect(status, text).toBe(200);
    }
  });

  it('of a change whose commit was done is known to the caches', async () => {
    const user = await test.personas.user();
    const resetToken = await resets.tokenFor(user.registration.email);
    expect((await profile(user)).status).toBe(200);
    let isCut = false;
    judge(({ name }) => {
      if (name !== 'commitTransaction' || isCut) return 'pass';
      isCut = true;
      return 'cut after';
    });
    expect((await resets.reset(resetToken)).status).toBe(503);
    proxy.restore();
    await until(async () => (await profile(user)).status !== 503);
    expect((await profile(user)).status).toBe(401);
  });

  it('is not a reset whose sessions take long to end', async () => {
    const user = await test.personas.user();
    const resetToken = await resets.tokenFor(user.registration.email);
    let isFirst = true;
    judge(({ name, isInTransaction }) => {
      if (name === 'commitTransaction' && isFirst) {
        isFirst = false;
        return { lateMs: 1_500 };
      }
      return !isFirst && isInTransaction ? { lateMs: 1_500 } : 'pass';
    });
    const { status, text } = await resets.reset(resetToken);
    expect(status, text).toBe(200);
  });

  it('of a logout everywhere can be asked for again, however many sessions there are', async () => {
    const user = await test.personas.user();
    const sessions = test.database.collection('login_histories');
    const own = await sessions.findOne({ user: new Types.ObjectId(user.userId) });
    // Older than one's own, which would be the first to end.
    const login_at = new Date(own?.login_at.getTime() - SECOND);
    await sessions.insertMany(Array.from({ length: 700 }, () => ({ ...own, _id: new Types.ObjectId(), login_at })));
    const { client, token, refresh_token } = user;
    const logout = () => client.post('/auth/logout', { refresh_token, all_sessions: true }, { bearer: token });
    let commits = 0;
    judge(({ name }, fail) => (name === 'commitTransaction' && (commits += 1) > 1 ? fail() : 'pass'));
    expect((await logout()).status).toBe(503);
    proxy.judge = () => 'pass';
    expect(await sessionsOf(user)).toBeGreaterThan(1);
    const { status, text } = await logout();
    expect(status, text).toBe(200);
    expect(await sessionsOf(user)).toBe(0);
  });

  it('of a refresh whose answer was lost is no theft, however long it takes, but what comes after its successor is', async () => {
    const user = await test.personas.user();
    const refresh = (refresh_token: string) => test.client().post('/auth/refresh-token', { refresh_token });
    judge(({ name, collection }) => (name === 'update' && collection === 'login_histories' ? 'cut after' : 'pass'));
    expect((await refresh(user.refresh_token)).status).toBe(503);
    proxy.judge = () => 'pass';
    proxy.restore();
    test.clock.advance(30 * SECOND);
    await until(async () => (await refresh(user.refresh_token)).status !== 503);
    const again = await refresh(user.refresh_token);
    expect(again.status, again.text).toBe(200);
    expect((await refresh(again.body.data.refresh_token)).status).toBe(200);
    test.clock.advance(30 * SECOND);
    expect((await refresh(user.refresh_token)).body.code).toBe('refresh_token_reused');
  });

  it('of a refresh does not excuse the token once its successor was answered', async () => {
    const user = await test.personas.user();
    const refresh = () => test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token });
    failTimes(proxy, 1, ({ name, collection }) => name === 'update' && collection === 'login_histories');
    expect((await refresh()).status).toBe(503);
    expect((await refresh()).status).toBe(200);
    test.clock.advance(30 * SECOND);
    expect((await refresh()).body.code).toBe('refresh_token_reused');
  });

  it('of a refresh does not excuse a token that was presented too late even then', async () => {
    const user = await test.personas.user();
    const refresh = () => test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token });
    expect((await refresh()).status).toBe(200);
    test.clock.advance(30 * SECOND);
    failTimes(proxy, 1, ({ name, collection }) => name === 'update' && collection === 'login_histories');
    expect((await refresh()).status).toBe(503);
    expect((await refresh()).body.code).toBe('refresh_token_reused');
  });

  it('of a refresh that was repeated in time is repeated in time, however long it takes', async () => {
    const user = await test.personas.user();
    const refresh = () => test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token });
    expect((await refresh()).status).toBe(200);
    failTimes(proxy, 1, ({ name, collection }) => name === 'update' && collection === 'login_histories');
    expect((await refresh()).status).toBe(503);
    test.clock.advance(30 * SECOND);
    expect((await refresh()).status).toBe(200);
  });

  it('uses up no changes of the username', async () => {
    const user = await test.personas.user();
    const rename = () => user.api.patch('/api/profile', { username: `${user.registration.username}_x` });
    failTimes(proxy, 20, ({ collection, isInTransaction }) => isInTransaction && collection === 'security_events');
    for (let count = 0; count < 20; count += 1) expect((await rename()).status).toBe(503);
    expect((await rename()).status).toBe(200);
  });

  it('uses up no tries of a code', async () => {
    const visitor = await test.personas.visitor();
    const { email } = visitor.registration;
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    const verify = () => test.client().post('/auth/verify-otp', { email, otp });
    failTimes(proxy, 6, ({ name, collection }) => name === 'update' && collection === 'auths');
    for (let count = 0; count < 6; count += 1) expect((await verify()).status).toBe(503);
    expect((await verify()).status).toBe(200);
  });

  it('uses up no changes of the password', async () => {
    const user = await test.personas.user();
    const change = () => user.api.post('/api/profile/password', { current_password: PASSWORD, ...PASSWORDS });
    failTimes(proxy, 6, ({ collection, isInTransaction }) => isInTransaction && collection === 'security_events');
    for (let count = 0; count < 6; count += 1) expect((await change()).status).toBe(503);
    // Those that come while five are under way are refused by the limit.
    for (let round = 0; round < 6; round += 1) {
      failTimes(proxy, 100, ({ collection, isInTransaction }) => isInTransaction && collection === 'security_events');
      const statuses = (await Promise.all(Array.from({ length: 12 }, change))).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([503, 429]));
    }
    proxy.judge = () => 'pass';
    expect((await change()).status).toBe(200);
    expect(await eventsOf(user.userId, 'excess_rate_limit_exceeded')).toBe(1);
  });

  it('is no event of a password that was forgotten', async () => {
    const user = await test.personas.user();
    failTimes(proxy, 1, ({ name, isInTransaction }) => name === 'insert' && isInTransaction);
    expect((await resets.forgot(user.registration.email)).status).toBe(503);
    expect(await eventsOf(user.userId, 'authn_password_reset_requested')).toBe(0);
    expect((await resets.forgot(user.registration.email)).status).toBe(200);
    expect(await eventsOf(user.userId, 'authn_password_reset_requested')).toBe(1);
  });

  it('is a login that takes too long, which leaves no session', async () => {
    const user = await test.personas.user();
    const before = await sessionsOf(user);
    const successesBefore = await eventsOf(user.userId, 'authn_login_success');
    delayOnce(proxy, [
      [reads('users'), 1_600],
      [reads('auths'), 1_600],
      [({ collection }) => collection === 'known_devices', 1_700],
    ]);
    const answer = login(user);
    await until(async () => (await sessionsOf(user)) === before + 1);
    expect((await answer).status).toBe(503);
    await until(async () => (await sessionsOf(user)) === before);
    expect(await eventsOf(user.userId, 'authn_login_success')).toBe(successesBefore);
  });

  it('is not the notice of a login from a new device', async () => {
    const user = await test.personas.user();
    // So long that a first transaction would be refused. Whether the answer comes in time does not matter: somebody knows the password.
    delayOnce(proxy, [
      [reads('users'), 1_600],
      [reads('auths'), 1_600],
      [({ name, collection }) => name === 'insert' && collection === 'login_histories', 800],
    ]);
    const body = { login: user.registration.username, password: PASSWORD };
    await test.client().post('/auth/login', body, { headers: { 'user-agent': FIREFOX } });
    await test.inbox.waitFor(user.registration.email, 'new-device');
  });
});
