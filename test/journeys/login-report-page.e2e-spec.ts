import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocationFinder } from '../../src/login-history/index.js';
import { decodeToken, forgeToken } from '../support/forged-token.js';
import { targetsOf } from '../support/inbox.js';
import { PASSWORD } from '../support/personas.js';
import { ReportedLogins } from '../support/reported-logins.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX } from '../support/user-agents.js';

const FORM = 'application/x-www-form-urlencoded';

describe('The page behind the link in a mail about a login', () => {
  let test: TestApp;
  let logins: ReportedLogins;
  beforeAll(async () => {
    test = await startTestApp();
    await test.app.get(LocationFinder).preload();
    logins = new ReportedLogins(test);
  });
  afterAll(() => test.close());

  it('points to this service, in both parts of the mail', async () => {
    const user = await logins.victim();
    const mail = await test.inbox.waitFor(user.registration.email, 'new-device');
    const { link, text, html } = mail;
    expect(link).toBe(`https://accounts.example/not-me?token=${user.linkToken}`);
    expect(text).toContain(link);
    expect(html).toContain('https://accounts.example/not-me?token');
    // The last one is what the licence of the city data asks for.
    expect(targetsOf(mail)).toEqual([link, 'https://app.example/forgot-password', link, 'https://db-ip.com']);
  });

  it('shows a page that asks, and locks the account when it is answered, without anybody being logged in', async () => {
    const user = await logins.victim();
    const asked = await logins.open(user.linkToken);
    expect(asked.status).toBe(200);
    expect(asked.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(asked.text).toContain('logged in to your account at Accounts on <strong>');
    expect(asked.text).toContain('<button type="submit">This was not me</button>');
    const action = /<form method="post" action="([^"]+)">/.exec(asked.text)?.[1] as string;
    expect(new URL(action, 'https://accounts.example/sub/not-me?token=x').pathname).toBe('/sub/not-me');

    const confirmed = await logins.confirm(/name="token" value="([^"]+)"/.exec(asked.text)?.[1] as string);
    expect(confirmed.status).toBe(200);
    expect(confirmed.text).toContain('Your account is locked');
    for (const { token } of [user, user.thief]) expect((await logins.profile(token)).body.code).toBe('reported_not_me');
    const refused = await test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD });
    expect(refused.body.code).toBe('password_reset_required');
    expect((await logins.reset(user)).status).toBe(200);
  });

  it('is there whatever those who count clicks have appended to its address', async () => {
    const { linkToken } = await logins.victim();
    const asked = await test.client().get(`/not-me?utm_source=mail&token=${linkToken}&fbclid=1&fbclid=2&a[b]=c`);
    expect(asked.status).toBe(200);
    expect(asked.text).toContain(`name="token" value="${linkToken}"`);
  });

  it('tells nobody its token: no referrer, no store, no script, nothing from elsewhere', async () => {
    const user = await logins.victim();
    for (const page of [
      await logins.open(user.linkToken),
      await logins.open('forged'),
      await logins.confirm(user.linkToken),
    ]) {
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

  it('cannot be forged', async () => {
    const user = await logins.victim();
    const eve = await logins.victim();
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
      const page = await logins.confirm(forgery);
      expect(page.status, forgery).toBe(400);
      expect(page.text, forgery).toContain('This link is not valid');
      expect((await logins.report(forgery)).body.code, forgery).toBe('report_link_invalid');
      expect((await logins.open(forgery)).status, forgery).toBe(400);
    }
    // In the place of a token that lets somebody in it is none.
    expect((await logins.profile(user.linkToken)).status).toBe(401);
    expect((await test.client().post('/auth/refresh-token', { refresh_token: user.linkToken })).status).toBe(401);
    for (const { thief } of [user, eve]) expect((await logins.profile(thief.token)).status).toBe(200);
  });

  it('answers a form that is none with a page', async () => {
    const user = await logins.victim();
    const token = user.linkToken;
    const post = (body: string, type = FORM) =>
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
    expect((await post(`token=${token}`, `${FORM};charset=latin1`)).status).toBe(415);
    expect((await post('token=no', `${FORM};charset=UTF-8`)).text, 'as fetch() sends it').toContain('not valid');
    expect((await post(`token=${token}`, 'multipart/form-data; boundary=x')).status).toBe(415);
    expect((await test.client().get('/not-me')).status).toBe(422);
    expect((await test.client().get('/not-me?token=')).status).toBe(400);
    expect((await test.client().get('/not-me?token[$ne]=x')).status).toBe(422);
    expect((await test.client().get('/not-me?token=a&token=b')).status).toBe(422);
    expect(await logins.alerts(user)).toBe(0);
    const elsewhere = await test.client().post('/auth/report-login', `token=${token}`, {
      headers: { 'content-type': FORM },
    });
    expect(elsewhere.status).toBe(415);
  });

  it('has a limit, of which people are told on a page', async () => {
    const { quota } = test.config.limits.auth;
    const client = test.client();
    const post = () => client.post('/not-me', 'token=x', { headers: { 'content-type': FORM } });
    for (let time = 0; time < quota; time += 1) expect((await post()).status).toBe(400);
    const refused = await post();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.text).toContain('Too many attempts');
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
        { headers: { 'user-agent': FIREFOX } },
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
