import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { redisUrl } from '../support/backends.js';
import { decodeToken, forgeToken } from '../support/forged-token.js';
import { expectRefusal } from '../support/invariants.js';
import { HOUR, SECOND } from '../support/manual-clock.js';
import { newRegistration, PASSWORD, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const profile = (test: TestApp, bearer: string) => test.client().get('/api/profile', { bearer, apiKey: API_KEY });
const refresh = (test: TestApp, { refresh_token }: { refresh_token: string }) =>
  test.client().post('/auth/refresh-token', { refresh_token });

describe('A token from the future', () => {
  let test: TestApp;
  let user: User;
  beforeAll(async () => {
    test = await startTestApp();
    user = await test.personas.user();
    test.clock.freeze();
  });
  afterAll(() => test.close());

  for (const claim of ['iat', 'nbf']) {
    it(`is taken up to a minute ahead, as clocks differ, and refused beyond: ${claim}`, async () => {
      const [header, claims] = decodeToken(user.token);
      const nowSeconds = Math.floor(test.clock.nowMs() / 1000);
      const ahead = async (seconds: number) => {
        const forged = forgeToken(
          header,
          { ...claims, [claim]: nowSeconds + seconds },
          test.config.tokens.accessSecret,
        );
        return profile(test, forged);
      };
      for (const seconds of [-1, 0, 1, 60]) expect((await ahead(seconds)).status, `${seconds} s`).toBe(200);
      for (const seconds of [61, 3_600, 2 ** 40]) {
        const response = await ahead(seconds);
        expectRefusal('/api/profile', response, 401);
        expect(response.body.code, `${seconds} s`).toBe('token_invalid');
      }
    });
  }
});

describe.skipIf(!redisUrl())('Two instances whose clocks are apart', () => {
  let slow: TestApp;
  let fast: TestApp;
  let apartMs = 0;
  const setApart = (ms: number) => {
    fast.clock.advance(ms - apartMs);
    apartMs = ms;
  };
  beforeAll(async () => {
    slow = await startTestApp({ redis: true });
    fast = await startTestApp({ beside: slow });
  });
  afterEach(() => setApart(0));
  afterAll(async () => {
    await fast?.close();
    await slow?.close();
  });

  it('by less than a minute serve the same people, and end the same sessions', async () => {
    setApart(50 * SECOND);
    for (const [issuer, other] of [
      [fast, slow],
      [slow, fast],
    ] as const) {
      const user = await issuer.personas.user();
      expect((await profile(other, user.token)).status).toBe(200);
      const refreshed = await refresh(other, user);
      expect(refreshed.status).toBe(200);
      const { token, refresh_token } = refreshed.body.data;
      expect((await profile(issuer, token)).status).toBe(200);
      expect((await issuer.client().post('/auth/logout', { refresh_token }, { bearer: token })).status).toBe(200);
      for (const instance of [issuer, other]) expect((await profile(instance, token)).status).toBe(401);
    }
  });

  it('by less than a minute refuse a replaced API key at once', async () => {
    setApart(50 * SECOND);
    const admin = await slow.personas.admin();
    const credentials = { apiKey: API_KEY, bearer: admin.token };
    const issued = await slow.client().post('/api/api-keys', { name: 'leaked' }, credentials);
    const { key, _id } = issued.body.data;
    const statusOf = async (test: TestApp, apiKey: string) =>
      (await test.client().get('/api/profile', { apiKey, bearer: admin.token })).status;
    expect(await statusOf(slow, key)).toBe(200);
    const replaced = (await fast.client().post(`/api/api-keys/${_id}/rotate`, {}, credentials)).body.data;
    expect(replaced.previous_until).toBeNull();
    for (const test of [slow, fast])
      expect([await statusOf(test, key), await statusOf(test, replaced.key)]).toEqual([401, 200]);
  });

  it('by hours let nobody in who was logged out, and nobody stay longer than the clock at hand says', async () => {
    const user = await slow.personas.user();
    const goner = await slow.personas.user();
    await slow.client().post('/auth/logout', { refresh_token: goner.refresh_token }, { bearer: goner.token });
    setApart(2 * HOUR);
    expect((await profile(fast, user.token)).body.code).toBe('token_expired');
    expect((await profile(fast, goner.token)).status).toBe(401);
    expect((await refresh(fast, goner)).status).toBe(401);
    const ofFast = await refresh(fast, user);
    expect(ofFast.status, 'a refresh mends it').toBe(200);
    expect((await profile(slow, ofFast.body.data.token)).body.code).toBe('token_invalid');
    expect((await profile(fast, ofFast.body.data.token)).status).toBe(200);
  });

  it('by hours decide a code once', async () => {
    const { registration } = await slow.personas.visitor();
    const { email } = registration;
    const { otp } = await slow.inbox.waitFor(email, 'email-verification');
    setApart(-HOUR);
    const [first, second] = await Promise.all(
      [slow, fast].map((instance) => instance.client().post('/auth/verify-otp', { email, otp })),
    );
    expect([first?.status, second?.status].sort()).toEqual([200, 400]);
  });
});

describe('A clock that is set', () => {
  for (const [what, ms, code] of [
    ['back', -HOUR, 'token_invalid'],
    ['forward', HOUR, 'token_expired'],
  ] as const) {
    it(`${what} by an hour ends no session, and holds nobody back longer than the limit says`, async () => {
      const test = await startTestApp();
      const user = await test.personas.user();
      const client = test.client();
      for (let i = 0; i < 6; i += 1) await client.post('/auth/login', {});
      test.clock.advance(ms);
      expect((await client.post('/auth/login', {})).status).toBe(422);
      expect((await profile(test, user.token)).body.code).toBe(code);
      const { username } = user.registration;
      const login = await test.client().post('/auth/login', { login: username, password: PASSWORD });
      expect(login.status).toBe(200);
      expect((await profile(test, login.body.data.token)).status).toBe(200);
      if (ms < 0) test.clock.advance(-ms);
      expect((await refresh(test, user)).status).toBe(200);
      await test.close();
    });
  }
});

describe('A clock that goes back while a request is served', () => {
  it('keeps nobody from a code or a link', async () => {
    const test = await startTestApp();
    onTestFinished(() => test.close());
    const someone = await test.personas.confirmed();
    test.clock.freeze();
    const { nowMs } = test.clock;
    let readings = 0;
    test.clock.nowMs = () => nowMs.call(test.clock) - 5 * (readings += 1);
    const registered = await test.client().post('/auth/register', newRegistration());
    expect(registered.body.data).toMatchObject({ otp_sent: true });
    await test.client().post('/auth/forgot-password', { email: someone.registration.email });
    const links = test.database.collection('one_time_secrets').countDocuments({ purpose: 'password_reset' });
    expect(await links).toBe(1);
  });
});
