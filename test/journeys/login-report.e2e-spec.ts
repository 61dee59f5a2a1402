import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesRedis } from '../support/backends.js';
import { decodeToken, forgeToken } from '../support/forged-token.js';
import { targetsOf } from '../support/inbox.js';
import { DAY } from '../support/manual-clock.js';
import { PASSWORD, type Tokens, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'Brand-new2$';
const LAPTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
const TELEPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

interface Victim extends User {
  thief: Tokens;
  /** Of the link in the mail about the thief's login. */
  linkToken: string;
}

describe('The link in a mail about a login', () => {
  let test: TestApp;
  let other: TestApp;
  let logins = 0;
  beforeAll(async () => {
    test = await startTestApp();
    other = await startTestApp({ beside: test });
  });
  afterAll(async () => {
    await other.close();
    await test.close();
  });

  /** Logs in from elsewhere, and waits for the mail that tells the owner: the first, or the second, by another device. */
  async function logInFromElsewhere(user: User, password = PASSWORD, mails: 1 | 2 = 1) {
    const { username, email } = user.registration;
    logins += 1;
    const headers = { 'user-agent': mails === 1 ? LAPTOP : TELEPHONE };
    const { body } = await test.client(`203.0.${logins}.1`).request('/auth/login', {
      method: 'POST',
      body: { login: username, password },
      headers,
    });
    const { link } = await test.inbox.waitFor(email, 'new-device', mails);
    return { thief: body.data as Tokens, linkToken: new URL(link as string).searchParams.get('token') as string };
  }

  async function victim(): Promise<Victim> {
    const user = await test.personas.user();
    return { ...user, ...(await logInFromElsewhere(user)) };
  }

  const open = (token: string, at = test) => at.client().get(`/not-me?token=${token}`);
  /** As a browser does: of a page without referrer it names no origin. */
  const confirm = (token: string, at = test) =>
    at.client().post('/not-me', new URLSearchParams({ token }).toString(), {
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
    });
  const report = (token: string, at = test) => at.client().post('/auth/report-login', { token });
  const profile = (bearer: string, at = test) => at.client().get('/api/profile', { bearer, apiKey: API_KEY });
  const alerts = (user: User) =>
    test.database.collection('mails').countDocuments({ to: user.registration.email, kind: 'security-alert' });
  const reset = async (user: User, kind = 'security-alert') => {
    const { token } = await test.inbox.waitFor(user.registration.email, kind);
    return test
      .client()
      .post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD });
  };

  it('points to this service, in both parts of the mail', async () => {
    const user = await victim();
    const mail = await test.inbox.waitFor(user.registration.email, 'new-device');
    const { link, text, html } = mail;
    expect(link).toBe(`https://accounts.example/not-me?token=${user.linkToken}`);
    expect(text).toContain(link);
    expect(html).toContain('https://accounts.example/not-me?token');
    expect(targetsOf(mail)).toEqual([link, 'https://app.example/forgot-password', link]);
  });

  it('shows a page that asks, and locks the account when it is answered, without anybody being logged in', async () => {
    const user = await victim();
    const asked = await open(user.linkToken);
    expect(asked.status).toBe(200);
    expect(asked.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(asked.text).toContain('<button type="submit">This was not me</button>');
    const action = /<form method="post" action="([^"]+)">/.exec(asked.text)?.[1] as string;
    expect(new URL(action, 'https://accounts.example/sub/not-me?token=x').pathname).toBe('/sub/not-me');

    const confirmed = await confirm(/name="token" value="([^"]+)"/.exec(asked.text)?.[1] as string);
    expect(confirmed.status).toBe(200);
    expect(confirmed.text).toContain('Your account is locked');
    for (const { token } of [user, user.thief]) expect((await profile(token)).body.code).toBe('reported_not_me');
    const refused = await test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD });
    expect(refused.body.code).toBe('password_reset_required');
    expect((await reset(user)).status).toBe(200);
  });

  it('can be used by a front end with a page of its own', async () => {
    const user = await victim();
    const { status, body } = await report(user.linkToken);
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    expect((await profile(user.thief.token)).status).toBe(401);
    expect((await report(user.linkToken)).body).toEqual({
      status_code: 400,
      status: 'ERROR',
      code: 'report_link_used',
      message: 'This link was used already, or the password was reset since',
    });
  });

  it('works, once, for an account of before there was a count of recoveries', async () => {
    const user = await victim();
    const stored = await test.database.collection('users').findOne({ username: user.registration.username });
    await test.database.collection('auths').updateOne({ user: stored?._id }, { $unset: { recoveries: 1 } });
    expect((await report(user.linkToken)).status).toBe(200);
    expect((await report(user.linkToken)).body.code).toBe('report_link_used');
  });

  it('may be opened by mail scanners as often as they like', async () => {
    const user = await victim();
    for (let time = 0; time < 10; time += 1) expect((await open(user.linkToken)).status).toBe(200);
    expect((await test.client().request(`/not-me?token=${user.linkToken}`, { method: 'HEAD' })).status).toBeLessThan(
      405,
    );
    for (const { token } of [user, user.thief]) expect((await profile(token)).status).toBe(200);
    expect(await alerts(user)).toBe(0);
    expect((await confirm(user.linkToken)).status).toBe(200);
  });

  it('tells nobody its token: no referrer, no store, no script, nothing from elsewhere', async () => {
    const user = await victim();
    for (const page of [await open(user.linkToken), await open('forged'), await confirm(user.linkToken)]) {
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      const style = /<style>(.*?)<\/style>/s.exec(page.text)?.[1] as string;
      const digest = createHash('sha256').update(style).digest('base64');
      expect(page.headers.get('content-security-policy')).toContain(`'sha256-${digest}'`);
      expect(page.text).not.toMatch(/<script|src=|href=|url\(|@import|style="/i);
    }
  });

  it('works once', async () => {
    const user = await victim();
    expect((await confirm(user.linkToken)).status).toBe(200);
    expect((await reset(user)).status).toBe(200);
    const later = await test.personas.login({
      ...user,
      registration: { ...user.registration, password: NEW_PASSWORD },
    });
    for (const again of [await confirm(user.linkToken), await open(user.linkToken)]) {
      expect(again.status).toBe(400);
      expect(again.text).toContain('This link can no longer be used');
    }
    expect((await profile(later.token)).status).toBe(200);
    expect(await alerts(user)).toBe(1);
  });

  it('works once, whoever confirms it at the same moment, on whichever instance', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await victim();
      const answers = await Promise.all([
        ...[test, other, test, other].map((at) => confirm(user.linkToken, at)),
        ...[test, other].map((at) => report(user.linkToken, at)),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
      expect(await alerts(user)).toBe(1);
      for (const at of [test, other]) expect((await profile(user.thief.token, at)).status).toBe(401);
    }
  });

  // Without Redis another instance may believe what it has cached for a minute.
  it.runIf(usesRedis)('ends sessions on every instance', async () => {
    const user = await victim();
    expect((await profile(user.thief.token, other)).status).toBe(200);
    expect((await open(user.linkToken, other)).status).toBe(200);
    expect((await confirm(user.linkToken, test)).status).toBe(200);
    expect((await profile(user.thief.token, other)).body.code).toBe('reported_not_me');
  });

  it('and its-not-me at the same moment are one lockdown, with one mail whose link works', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await victim();
      const { refresh_token, token: bearer } = user;
      const [linked, said] = await Promise.all([
        report(user.linkToken, round % 2 ? test : other),
        test.client().post('/auth/its-not-me', { refresh_token }, { bearer }),
      ]);
      const outcome = [linked.status, said.status];
      expect(
        [
          [200, 401],
          [400, 200],
        ],
        `round ${round}`,
      ).toContainEqual(outcome);
      expect(await alerts(user), `round ${round}`).toBe(1);
      expect((await reset(user)).status).toBe(200);
    }
  });

  it('does nothing for an account that was disabled or deleted, and mails nobody', async () => {
    const admin = await test.personas.admin();
    const credentials = { apiKey: API_KEY, bearer: admin.token };
    for (const request of [{ method: 'PATCH', body: { status: 'inactive' } }, { method: 'DELETE' }]) {
      const user = await victim();
      const changed = await test.client().request(`/api/users/${user.userId}`, { ...request, ...credentials });
      expect(changed.status).toBe(200);
      expect((await open(user.linkToken)).status).toBe(400);
      expect((await report(user.linkToken)).body.code).toBe('report_link_used');
      expect(await alerts(user)).toBe(0);
    }
  });

  it('still works when the thief has logged out', async () => {
    const { thief, ...user } = await victim();
    const { refresh_token, token: bearer } = thief;
    expect((await test.client().post('/auth/logout', { refresh_token }, { bearer })).status).toBe(200);
    expect((await confirm(user.linkToken)).status).toBe(200);
    expect((await profile(user.token)).body.code).toBe('reported_not_me');
  });

  it('still works when the thief, who knows the password, has changed it', async () => {
    const { thief, linkToken } = await victim();
    const changed = await test
      .client()
      .post(
        '/api/profile/password',
        { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD },
        { bearer: thief.token, apiKey: API_KEY },
      );
    expect(changed.status).toBe(200);
    expect((await profile(thief.token)).status).toBe(200);
    expect((await confirm(linkToken)).status).toBe(200);
    expect((await profile(thief.token)).status).toBe(401);
  });

  it('is void once the password was reset by mail: those sessions have ended', async () => {
    const user = await victim();
    await test.client().post('/auth/forgot-password', { email: user.registration.email });
    expect((await reset(user, 'password-reset')).status).toBe(200);
    expect((await confirm(user.linkToken)).text).toContain('This link can no longer be used');
    expect(await alerts(user)).toBe(0);

    const next = await logInFromElsewhere(user, NEW_PASSWORD, 2);
    expect((await report(user.linkToken)).body.code).toBe('report_link_used');
    expect((await report(next.linkToken)).status).toBe(200);
  });

  it('expires after seven days', async () => {
    const late = await startTestApp({ beside: test });
    const user = await victim();
    late.clock.advance(7 * DAY + 1000);
    for (const page of [await open(user.linkToken, late), await confirm(user.linkToken, late)]) {
      expect(page.status).toBe(400);
      expect(page.text).toContain('This link has expired');
    }
    expect((await report(user.linkToken, late)).body.code).toBe('report_link_expired');
    await late.close();
    expect((await confirm(user.linkToken)).status).toBe(200);
  });

  it('cannot be forged', async () => {
    const user = await victim();
    const eve = await victim();
    const { accessSecret, refreshSecret } = test.config.tokens;
    const [header, claims] = decodeToken(eve.linkToken);
    const [, wanted] = decodeToken(user.linkToken);
    const body = user.linkToken.split('.').slice(0, 2).join('.');
    const forgeries = [
      'forged',
      `${user.linkToken}x`,
      `${body}.`,
      `${body}.${eve.linkToken.split('.')[2]}`,
      user.linkToken.toLowerCase(),
      user.refresh_token,
      user.linkToken.slice(0, -4),
      forgeToken(header, wanted, accessSecret),
      forgeToken({ ...header, alg: 'none' }, wanted, refreshSecret),
      forgeToken({ ...header, typ: 'rt+jwt' }, wanted, refreshSecret),
      forgeToken(header, { ...wanted, aud: claims.iss }, refreshSecret),
      forgeToken(header, { ...wanted, id: { $ne: null } }, refreshSecret),
      forgeToken(header, { ...wanted, rec: { $gte: 0 } }, refreshSecret),
      forgeToken(header, { ...wanted, rec: undefined }, refreshSecret),
      forgeToken(header, { ...wanted, exp: undefined }, refreshSecret),
    ];
    for (const forgery of forgeries) {
      const page = await confirm(forgery);
      expect(page.status, forgery).toBe(400);
      expect(page.text, forgery).toContain('This link is not valid');
      expect((await report(forgery)).body.code, forgery).toBe('report_link_invalid');
      expect((await open(forgery)).status, forgery).toBe(400);
    }
    // In the place of a token that lets somebody in it is none.
    expect((await profile(user.linkToken)).status).toBe(401);
    expect((await test.client().post('/auth/refresh-token', { refresh_token: user.linkToken })).status).toBe(401);
    for (const { thief } of [user, eve]) expect((await profile(thief.token)).status).toBe(200);
  });

  it('answers a form that is none with a page', async () => {
    const user = await victim();
    const token = user.linkToken;
    const post = (body: string, type = 'application/x-www-form-urlencoded') =>
      test.client().post('/not-me', body, { headers: { 'content-type': type } });
    for (const [body, status] of [
      ['', 422],
      [`token=${token}&token=${token}`, 400],
      [`token[$ne]=x`, 422],
      [`token=${token}&more=x`, 422],
      [`token=${'x'.repeat(20_000)}`, 413],
    ] as const) {
      const page = await post(body);
      expect(page.status, body.slice(0, 50)).toBe(status);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.text).not.toContain('undefined');
    }
    expect((await post(`token=${token}`, 'text/plain')).status).toBe(415);
    expect((await post(`token=${token}`, 'multipart/form-data; boundary=x')).status).toBe(415);
    expect((await test.client().get('/not-me')).status).toBe(422);
    expect((await test.client().get('/not-me?token=a&token=b')).status).toBe(422);
    expect(await alerts(user)).toBe(0);
    const elsewhere = await test.client().post('/auth/report-login', `token=${token}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(elsewhere.status).toBe(415);
  });

  it('has a limit, of which people are told on a page', async () => {
    const { quota } = test.config.limits.auth;
    const client = test.client();
    const post = () =>
      client.post('/not-me', 'token=x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    for (let time = 0; time < quota; time += 1) expect((await post()).status).toBe(400);
    const refused = await post();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.text).toContain('Too many attempts');
  });

  it('is recorded, whether it worked or not', async () => {
    const user = await victim();
    await confirm(user.linkToken);
    const again = await confirm(user.linkToken);
    const events = test.database.collection('security_events');
    const { sid } = decodeToken(user.linkToken)[1];
    const failed = {
      kind: 'authn_fail',
      outcome: 'failure',
      detail: 'report_link_used',
      request_id: again.headers.get('x-request-id'),
    };
    expect(await events.countDocuments({ kind: 'authn_lockdown', outcome: 'success', session: sid })).toBe(1);
    await expect.poll(() => events.countDocuments(failed)).toBe(1);
  });

  it('is left out of the mail where the service does not know its address', async () => {
    const quiet = await startTestApp({
      beside: test,
      adjust: (config) => ({ ...config, mail: { ...config.mail, publicUrl: null } }),
    });
    const user = await test.personas.user();
    await quiet
      .client('203.0.113.9')
      .post(
        '/auth/login',
        { login: user.registration.username, password: PASSWORD },
        { headers: { 'user-agent': LAPTOP } },
      );
    const { link, text, html } = await test.inbox.waitFor(user.registration.email, 'new-device');
    expect(link).toBeNull();
    for (const part of [text, html]) {
      expect(part).toContain('https://app.example/forgot-password');
      expect(part).not.toContain('/not-me');
    }
    await quiet.close();
  });
});
