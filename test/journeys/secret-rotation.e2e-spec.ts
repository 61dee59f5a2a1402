import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeToken, forgeToken } from '../support/forged-token.js';
import { HOUR, SECOND } from '../support/manual-clock.js';
import { PASSWORD, type Tokens } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX } from '../support/user-agents.js';

const OLD = {
  JWT_SECRET: 'the-old-access-secret-0123456789-abcdefgh',
  JWT_REFRESH_SECRET: 'the-old-refresh-secret-0123456789-abcdefg',
};
const NEW = {
  JWT_SECRET: 'the-new-access-secret-0123456789-abcdefgh',
  JWT_REFRESH_SECRET: 'the-new-refresh-secret-0123456789-abcdefg',
};
const asPrevious = (secrets: typeof OLD) => ({
  JWT_SECRET_PREVIOUS: secrets.JWT_SECRET,
  JWT_REFRESH_SECRET_PREVIOUS: secrets.JWT_REFRESH_SECRET,
});

describe('A rotation of the signing secrets', () => {
  /** The service before the rotation, in its first step, in its second, and when it is complete. */
  let before: TestApp;
  let announced: TestApp;
  let rotated: TestApp;
  let complete: TestApp;
  beforeAll(async () => {
    before = await startTestApp({ env: OLD });
    announced = await startTestApp({ beside: before, env: { ...OLD, ...asPrevious(NEW) } });
    rotated = await startTestApp({ beside: before, env: { ...NEW, ...asPrevious(OLD) } });
    complete = await startTestApp({ beside: before, env: NEW });
  });
  afterAll(async () => {
    for (const app of [complete, rotated, announced, before]) await app.close();
  });

  const profile = (at: TestApp, bearer: string) => at.client().get('/api/profile', { bearer, apiKey: API_KEY });
  const refresh = (at: TestApp, refresh_token: string) => at.client().post('/auth/refresh-token', { refresh_token });
  const isSignedWith = (token: string, secret: string) => {
    const body = token.slice(0, token.lastIndexOf('.'));
    return token === `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
  };
  const expectSignedWith = ({ token, refresh_token }: Tokens, secrets: typeof OLD) => {
    expect(isSignedWith(token, secrets.JWT_SECRET)).toBe(true);
    expect(isSignedWith(refresh_token, secrets.JWT_REFRESH_SECRET)).toBe(true);
  };

  it('logs nobody out: tokens of before work, and each refresh brings tokens of the new secrets', async () => {
    const user = await before.personas.user();
    expectSignedWith(user, OLD);
    for (let time = 0; time < 2; time += 1) expect((await profile(rotated, user.token)).status).toBe(200);
    const { status, body } = await refresh(rotated, user.refresh_token);
    expect(status).toBe(200);
    expectSignedWith(body.data, NEW);
    expect((await profile(rotated, body.data.token)).status).toBe(200);
    expect((await profile(complete, body.data.token)).status).toBe(200);
    expect((await refresh(complete, body.data.refresh_token)).status).toBe(200);
  });

  it('gives a client that lost the answer a successor again', async () => {
    const user = await before.personas.user();
    expect((await refresh(before, user.refresh_token)).status).toBe(200);
    const again = await refresh(rotated, user.refresh_token);
    expect(again.status).toBe(200);
    expect((await refresh(rotated, again.body.data.refresh_token)).status).toBe(200);
  });

  it('still ends the session when an old token is used again', async () => {
    const user = await before.personas.user();
    const { body } = await refresh(rotated, user.refresh_token);
    rotated.clock.advance(11 * SECOND);
    expect((await refresh(rotated, user.refresh_token)).body.code).toBe('refresh_token_reused');
    expect((await refresh(rotated, body.data.refresh_token)).status).toBe(401);
  });

  it('lets logout, its-not-me and the links in mails of before work', async () => {
    const [leaving, reporting] = [await before.personas.user(), await before.personas.user()];
    const { refresh_token, token: bearer } = leaving;
    expect((await rotated.client().post('/auth/logout', { refresh_token }, { bearer })).status).toBe(200);
    const { username, email } = reporting.registration;
    const headers = { 'user-agent': FIREFOX };
    await before
      .client('203.0.113.7')
      .request('/auth/login', { method: 'POST', body: { login: username, password: PASSWORD }, headers });
    const { link } = await before.inbox.waitFor(email, 'new-device');
    const token = new URL(link as string).searchParams.get('token');
    expect((await complete.client().post('/auth/report-login', { token })).body.code).toBe('report_link_invalid');
    expect((await rotated.client().post('/auth/report-login', { token })).status).toBe(200);
  });

  it('refuses tokens of before once the previous secrets are taken away', async () => {
    const user = await before.personas.user();
    expect((await profile(complete, user.token)).body.code).toBe('token_invalid');
    expect((await refresh(complete, user.refresh_token)).body.code).toBe('token_invalid');
  });

  it('lets instances of both steps serve the same people, when it is rolled out in two', async () => {
    const [early, late] = [await announced.personas.user(), await rotated.personas.user()];
    expectSignedWith(early, OLD);
    expectSignedWith(late, NEW);
    for (const at of [announced, rotated]) {
      for (const { token } of [early, late]) expect((await profile(at, token)).status).toBe(200);
    }
    expect((await refresh(announced, late.refresh_token)).status).toBe(200);
    expect((await refresh(rotated, early.refresh_token)).status).toBe(200);
  });

  it('believes a token of before no longer than it would have been', async () => {
    const user = await before.personas.user();
    const later = await startTestApp({ beside: before, env: { ...NEW, ...asPrevious(OLD) } });
    later.clock.advance(HOUR + SECOND);
    expect((await profile(later, user.token)).body.code).toBe('token_expired');
    await later.close();
  });

  it('makes no forgery pass, and no kind of token for another', async () => {
    const user = await before.personas.user();
    const [header, claims] = decodeToken(user.token);
    const [refreshHeader, refreshClaims] = decodeToken(user.refresh_token);
    for (const secret of ['', 'secret', OLD.JWT_REFRESH_SECRET, NEW.JWT_REFRESH_SECRET]) {
      expect((await profile(rotated, forgeToken(header, claims, secret))).body.code, secret).toBe('token_invalid');
    }
    for (const secret of ['', 'secret', OLD.JWT_SECRET, NEW.JWT_SECRET]) {
      const forged = forgeToken(refreshHeader, refreshClaims, secret);
      expect((await refresh(rotated, forged)).body.code, secret).toBe('token_invalid');
    }
    for (const token of [
      forgeToken({ ...header, alg: 'none' }, claims, OLD.JWT_SECRET),
      forgeToken({ ...header, alg: 'HS512' }, claims, OLD.JWT_SECRET, 'sha512'),
      forgeToken(refreshHeader, refreshClaims, OLD.JWT_SECRET),
      user.refresh_token,
    ]) {
      expect((await profile(rotated, token)).status).toBe(401);
    }
    expect((await profile(rotated, user.token)).status).toBe(200);
  });
});
