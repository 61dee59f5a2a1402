import { setTimeout as pause } from 'node:timers/promises';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from '../../src/common/errors/index.js';
import { currentRequest } from '../../src/common/http/index.js';
import { SessionsRepository } from '../../src/login-history/index.js';
import { Authenticator } from '../../src/security/index.js';
import { decodeToken } from '../support/forged-token.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import { DAY, HOUR, SECOND } from '../support/manual-clock.js';

describe('Staying logged in', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const refresh = (refresh_token: string) => test.client().post('/auth/refresh-token', { refresh_token });
  const profile = (bearer: string) => test.client().get('/api/profile', { bearer, apiKey: API_KEY });

  it('exchanges a refresh token for the next pair', async () => {
    const user = await test.personas.user();
    const { status, body } = await refresh(user.refresh_token);
    expect(status).toBe(200);
    expect(body).toEqual({
      status_code: 200,
      status: 'SUCCESS',
      message: expect.any(String),
      data: { token: expect.any(String), refresh_token: expect.any(String), expires_in: 3600 },
    });
    expect(body.data.token).not.toBe(user.token);
    expect(body.data.refresh_token).not.toBe(user.refresh_token);
    expect((await profile(body.data.token)).status).toBe(200);
    expect((await refresh(body.data.refresh_token)).status).toBe(200);
  });

  it('gives the same successor again within ten seconds, so that a lost answer logs nobody out', async () => {
    const user = await test.personas.user();
    const first = await refresh(user.refresh_token);
    test.clock.advance(9 * SECOND);
    const again = await refresh(user.refresh_token);
    expect(again.status).toBe(200);
    expect(again.body.data.refresh_token).toBe(first.body.data.refresh_token);
    expect((await refresh(first.body.data.refresh_token)).status).toBe(200);
  });

  it.each([
    ['the settings say', { REFRESH_GRACE: '2s' }, 2 * SECOND, 1, 'refresh_token_reused'],
    ['the token lives, where that is shorter', { JWT_REFRESH_EXPIRES: '5s' }, 4 * SECOND, SECOND, 'token_expired'],
  ])('does so for as long as %s', async (_what, env, lastMs, thenMs, code) => {
    const other = await startTestApp({ env });
    try {
      other.clock.freeze();
      const { client, refresh_token } = await other.personas.user();
      const again = async (ms: number) => {
        other.clock.advance(ms);
        const { body } = await client.post('/auth/refresh-token', { refresh_token });
        return body.data?.refresh_token ?? body.code;
      };
      const successor = await again(0);
      expect([await again(lastMs), await again(thenMs)]).toEqual([successor, code]);
    } finally {
      await other.close();
    }
  });

  it('does not do so where the settings say not at all, not even at the same moment', async () => {
    const other = await startTestApp({ env: { REFRESH_GRACE: '0s' } });
    try {
      other.clock.freeze();
      for (let round = 0; round < 5; round += 1) {
        const { client, refresh_token } = await other.personas.user();
        const answers = await Promise.all([1, 2].map(() => client.post('/auth/refresh-token', { refresh_token })));
        expect(answers.map(({ body }) => body.code ?? 'refreshed').toSorted()).toEqual([
          'refresh_token_reused',
          'refreshed',
        ]);
      }
    } finally {
      await other.close();
    }
  });

  it('counts them until the token arrives, however long the database then takes', async () => {
    const user = await test.personas.user();
    const first = await refresh(user.refresh_token);
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const findGeneration = sessions.findGeneration.bind(sessions);
    sessions.findGeneration = (id) => {
      sessions.findGeneration = findGeneration;
      test.clock.advance(3 * SECOND);
      return findGeneration(id);
    };
    test.clock.advance(9 * SECOND);
    const again = await refresh(user.refresh_token);
    expect([again.status, again.body.data?.refresh_token]).toEqual([200, first.body.data.refresh_token]);
  });

  it.each([
    ['JWT_REFRESH_EXPIRES', '1h'],
    ['SESSION_MAX_AGE', '1d'],
  ])('ends for sessions that are too old by now once %s is lowered', async (setting, value) => {
    const user = await test.personas.user();
    const stricter = await startTestApp({ beside: test, clock: test.clock, env: { [setting]: value } });
    try {
      test.clock.advance(2 * DAY);
      const { refresh_token } = user;
      const { body } = await stricter.client().post('/auth/refresh-token', { refresh_token });
      expect(body.code).toBe('token_expired');
      expect((await refresh(refresh_token)).status).toBe(200);
    } finally {
      await stricter.close();
    }
  });

  it('gives parallel requests one and the same successor', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(user.refresh_token)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const successors = new Set(answers.map(({ body }) => body.data.refresh_token));
      expect(successors.size).toBe(1);
      expect((await refresh([...successors][0] as string)).status).toBe(200);
    }
  });

  it('gives the successor, too, to one that another overtakes after the session was read', async () => {
    const user = await test.personas.user();
    const authenticator = test.app.get(Authenticator, { strict: false });
    const sessions = test.app.get(SessionsRepository, { strict: false });
    const authenticate = authenticator.authenticate.bind(authenticator);
    const findGeneration = sessions.findGeneration.bind(sessions);
    const restore = () => {
      authenticator.authenticate = authenticate;
      sessions.findGeneration = findGeneration;
    };
    onTestFinished(restore);
    // As if a change of the password that keeps the session came between the look at the session and the one at the account.
    authenticator.authenticate = () => Promise.reject(new ApiError('password_changed'));
    let overtaking: string | undefined;
    sessions.findGeneration = async (id) => {
      restore();
      const session = await findGeneration(id);
      overtaking = (await refresh(user.refresh_token)).body.data.refresh_token;
      return session;
    };
    const { status, body } = await refresh(user.refresh_token);
    expect([status, body.data?.refresh_token]).toEqual([200, overtaking]);
  });

  it('moves a session to its next generation once, of any number of attempts', async () => {
    const sessions = test.app.get(SessionsRepository);
    for (let round = 0; round < 20; round += 1) {
      const user = await test.personas.user();
      const { sid } = JSON.parse(Buffer.from(user.token.split('.')[1] as string, 'base64url').toString()) as {
        sid: string;
      };
      const tokens = { accessToken: 'a', refreshToken: 'r' };
      const current = { sessionId: sid, userId: user.userId, generation: 0, credentialVersion: 1 };
      const attempts = Array.from({ length: 16 }, () => sessions.rotateIfCurrent(current, test.clock.now(), tokens));
      expect((await Promise.all(attempts)).filter((isWinner) => isWinner).length).toBe(1);
      expect((await sessions.findGeneration(sid))?.generation).toBe(1);
    }
  });

  it('ends the session when a replaced token is used after the grace, and no other session', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    const { body } = await refresh(user.refresh_token);
    test.clock.advance(11 * SECOND);
    const reuse = await refresh(user.refresh_token);
    expect(reuse.status).toBe(401);
    expect(reuse.body).toMatchObject({ code: 'refresh_token_reused', message: 'Invalid or expired token' });
    expect((await refresh(body.data.refresh_token)).body.code).toBe('refresh_token_reused');
    expect((await profile(body.data.token)).status).toBe(401);
    expect((await profile(other.token)).status).toBe(200);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  describe('with a try that nobody waits for any more', () => {
    /** A caller who hangs up before the session is read. */
    const giveUp = async (refresh_token: string) => {
      const repository = test.app.get(SessionsRepository, { strict: false });
      const find = repository.findGeneration.bind(repository);
      onTestFinished(() => void (repository.findGeneration = find));
      const hanging = new AbortController();
      repository.findGeneration = async (sessionId) => {
        hanging.abort();
        while (!currentRequest()?.isOver) await pause(5);
        return find(sessionId);
      };
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ refresh_token }),
      };
      const late = fetch(`${test.url}/auth/refresh-token`, { ...init, signal: hanging.signal });
      await expect(late).rejects.toThrow('abort');
      const given = { kind: 'authn_token_reuse', detail: 'given up' };
      const session = decodeToken(refresh_token)[1] as { sid: string };
      const events = test.database.collection('security_events');
      await expect.poll(() => events.countDocuments({ ...given, session: session.sid })).toBe(1);
      repository.findGeneration = find;
    };

    it('ends no session, as when it is found in the socket of a process that was suspended', async () => {
      const user = await test.personas.user();
      const { body } = await refresh(user.refresh_token);
      test.clock.advance(11 * SECOND);
      await giveUp(user.refresh_token);
      expect((await profile(body.data.token)).status).toBe(200);
      expect((await refresh(body.data.refresh_token)).status).toBe(200);
    });

    it('is none of an outage: the token is as stolen as it was, also where the clock was set back', async () => {
      for (const apartMs of [11 * SECOND, -HOUR]) {
        const user = await test.personas.user();
        test.clock.advance(2 * HOUR);
        const { body } = await refresh(user.refresh_token);
        test.clock.advance(apartMs);
        await giveUp(user.refresh_token);
        expect((await refresh(user.refresh_token)).body.code).toBe('refresh_token_reused');
        test.clock.advance(-apartMs);
        expect((await profile(body.data.token)).body.code).toBe('refresh_token_reused');
      }
    });
  });

  it('takes no token for just replaced because the clock was set back', async () => {
    const user = await test.personas.user();
    test.clock.advance(2 * HOUR);
    expect((await refresh(user.refresh_token)).status).toBe(200);
    test.clock.advance(-HOUR);
    expect((await refresh(user.refresh_token)).body.code).toBe('refresh_token_reused');
    test.clock.advance(HOUR);
  });

  it('ends the session when an older token than the last is used, even within the grace', async () => {
    const user = await test.personas.user();
    const { body: one } = await refresh(user.refresh_token);
    await refresh(one.data.refresh_token);
    expect((await refresh(user.refresh_token)).body.code).toBe('refresh_token_reused');
    expect((await refresh(one.data.refresh_token)).status).toBe(401);
  });

  it('lets an access token live an hour, and tells that it has expired', async () => {
    const user = await test.personas.user();
    test.clock.advance(HOUR - 5 * SECOND);
    expect((await profile(user.token)).status).toBe(200);
    test.clock.advance(10 * SECOND);
    const { status, body, headers } = await profile(user.token);
    expect(status).toBe(401);
    expect(body).toEqual({ error: true, code: 'token_expired', message: 'Invalid or expired token', data: null });
    expect(headers.get('www-authenticate')).toMatch(/^Bearer realm=".+", error="invalid_token"/);
    expect((await refresh(user.refresh_token)).status).toBe(200);
  });

  it('lets a refresh token live seven days', async () => {
    const user = await test.personas.user();
    test.clock.advance(7 * DAY + SECOND);
    const { status, body } = await refresh(user.refresh_token);
    expect(status).toBe(401);
    expect(body.code).toBe('token_expired');
  });

  it('lets no access token live longer than its session', async () => {
    const other = await startTestApp({ env: { SESSION_MAX_AGE: '90m' } });
    try {
      other.clock.freeze();
      const { client, refresh_token } = await other.personas.user();
      other.clock.advance(HOUR);
      const { data } = (await client.post('/auth/refresh-token', { refresh_token })).body;
      expect(data.expires_in).toBe(1800);
      const profileAfter = async (ms: number) => {
        other.clock.advance(ms);
        return (await client.get('/api/profile', { bearer: data.token, apiKey: API_KEY })).body.code;
      };
      expect([await profileAfter(HOUR / 2 - SECOND), await profileAfter(2 * SECOND)]).toEqual([
        undefined,
        'token_expired',
      ]);
    } finally {
      await other.close();
    }
  });

  it('ends a session after 30 days, however often it is refreshed', async () => {
    const user = await test.personas.user();
    let token = user.refresh_token;
    for (let day = 0; day < 30; day += 6) {
      test.clock.advance(6 * DAY - SECOND);
      const { status, body } = await refresh(token);
      expect(status, `day ${day}`).toBe(200);
      token = body.data.refresh_token;
    }
    test.clock.advance(10 * SECOND);
    expect((await refresh(token)).body.code).toBe('token_expired');
  });

  it('accepts neither kind of token in the other’s place', async () => {
    const user = await test.personas.user();
    expect((await refresh(user.token)).body.code).toBe('token_invalid');
    expect((await profile(user.refresh_token)).body.code).toBe('token_invalid');
  });

  it('refuses altered, foreign and shapeless tokens', async () => {
    const user = await test.personas.user();
    const [header, payload, signature] = user.refresh_token.split('.') as [string, string, string];
    const none = Buffer.from('{"alg":"none","typ":"rt+jwt"}').toString('base64url');
    for (const token of [
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      'a.b.c',
      'x',
      `${user.refresh_token}.x`,
    ]) {
      const { status, body } = await refresh(token);
      expect(status, token).toBe(401);
      expect(body.code, token).toBe('token_invalid');
    }
    for (const body of [{}, { refresh_token: '' }, { refresh_token: 7 }, { refresh_token: { $gt: '' } }]) {
      expect((await test.client().post('/auth/refresh-token', body)).status).toBe(422);
    }
  });

  it('stops when the password was changed, though the session should still be there', async () => {
    const user = await test.personas.user();
    const { _id } = (await test.database.collection('users').findOne({ username: user.registration.username })) ?? {};
    await test.database.collection('auths').updateOne({ user: _id }, { $inc: { credential_version: 1 } });
    expect((await refresh(user.refresh_token)).body.code).toBe('password_changed');
  });

  it('is for no session of which storage does not say to which password it belongs', async () => {
    const user = await test.personas.user();
    const own = { user: new Types.ObjectId(user.userId) };
    await test.database.collection('login_histories').updateOne(own, { $unset: { credential_version: 1 } });
    expect((await profile(user.token)).body.code).toBe('password_changed');
    expect((await refresh(user.refresh_token)).body.code).toBe('password_changed');
  });

  it('stops, too, when the session ended for a reason that only a newer release knows', async () => {
    const user = await test.personas.user();
    const { sid } = decodeToken(user.token)[1] as { sid: string };
    await test.database.collection('ended_sessions').insertOne({
      _id: new Types.ObjectId(sid),
      reason: 'of_tomorrow',
      purge_at: new Date(test.clock.nowMs() + HOUR),
    });
    await test.database.collection('login_histories').deleteOne({ _id: new Types.ObjectId(sid) });
    const { status, body } = await refresh(user.refresh_token);
    expect([status, body.code]).toEqual([401, 'session_revoked']);
    const again = await profile(user.token);
    expect([again.status, again.body.code]).toEqual([401, 'session_revoked']);
  });

  it('is refused, too, where the end for such a reason is found while the session is ended', async () => {
    const user = await test.personas.user();
    await refresh(user.refresh_token);
    await refresh((await refresh(user.refresh_token)).body.data.refresh_token);
    const { sid } = decodeToken(user.token)[1] as { sid: string };
    const purge_at = new Date(test.clock.nowMs() + HOUR);
    const ended = { _id: new Types.ObjectId(sid), reason: 'of_tomorrow', purge_at };
    await test.database.collection('ended_sessions').insertOne(ended);
    const { status, body } = await refresh(user.refresh_token);
    expect([status, body.code]).toEqual([401, 'session_revoked']);
  });

  it('stops when the account is disabled', async () => {
    const user = await test.personas.user();
    const { _id } = (await test.database.collection('users').findOne({ username: user.registration.username })) ?? {};
    await test.database.collection('auths').updateOne({ user: _id }, { $set: { disabled_at: new Date() } });
    expect((await refresh(user.refresh_token)).body.code).toBe('account_disabled');
  });
});
