import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesRedis } from '../support/backends.js';
import { decodeToken } from '../support/forged-token.js';
import { DAY } from '../support/manual-clock.js';
import { NEW_PASSWORD } from '../support/password-resets.js';
import { PASSWORD } from '../support/personas.js';
import { ReportedLogins } from '../support/reported-logins.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

type Call = [method: string, path: string, body?: object];

describe('The link in a mail about a login', () => {
  let test: TestApp;
  let other: TestApp;
  let logins: ReportedLogins;
  beforeAll(async () => {
    test = await startTestApp();
    other = await startTestApp({ beside: test });
    logins = new ReportedLogins(test);
  });
  afterAll(async () => {
    await other.close();
    await test.close();
  });

  it('can be used by a front end with a page of its own', async () => {
    const user = await logins.victim();
    const { status, body } = await logins.report(user.linkToken);
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    expect((await logins.profile(user.thief.token)).status).toBe(401);
    expect((await logins.report(user.linkToken)).body).toEqual({
      status_code: 400,
      status: 'ERROR',
      code: 'report_link_used',
      message: 'This link was used already, or the password was reset since',
    });
  });

  it('works, once, for an account of before there was a count of recoveries', async () => {
    const user = await logins.victim();
    const stored = await test.database.collection('users').findOne({ username: user.registration.username });
    await test.database.collection('auths').updateOne({ user: stored?._id }, { $unset: { recoveries: 1 } });
    expect((await logins.report(user.linkToken)).status).toBe(200);
    expect((await logins.report(user.linkToken)).body.code).toBe('report_link_used');
  });

  it('may be opened by mail scanners as often as they like', async () => {
    const user = await logins.victim();
    for (let time = 0; time < 10; time += 1) expect((await logins.open(user.linkToken)).status).toBe(200);
    expect((await test.client().request(`/not-me?token=${user.linkToken}`, { method: 'HEAD' })).status).toBeLessThan(
      405,
    );
    for (const { token } of [user, user.thief]) expect((await logins.profile(token)).status).toBe(200);
    expect(await logins.alerts(user)).toBe(0);
    expect((await logins.confirm(user.linkToken)).status).toBe(200);
  });

  it('works once', async () => {
    const user = await logins.victim();
    expect((await logins.confirm(user.linkToken)).status).toBe(200);
    expect((await logins.reset(user)).status).toBe(200);
    const later = await test.personas.login({
      ...user,
      registration: { ...user.registration, password: NEW_PASSWORD },
    });
    for (const again of [await logins.confirm(user.linkToken), await logins.open(user.linkToken)]) {
      expect(again.status).toBe(400);
      expect(again.text).toContain('That login has ended already');
    }
    expect((await logins.profile(later.token)).status).toBe(200);
    expect(await logins.alerts(user)).toBe(1);
  });

  it('works once, whoever confirms it at the same moment, on whichever instance', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await logins.victim();
      const answers = await Promise.all([
        ...[test, other, test, other].map((at) => logins.confirm(user.linkToken, at)),
        ...[test, other].map((at) => logins.report(user.linkToken, at)),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
      expect(await logins.alerts(user)).toBe(1);
      for (const at of [test, other]) expect((await logins.profile(user.thief.token, at)).status).toBe(401);
    }
  });

  // Without Redis another instance may believe what it has cached for a minute.
  it.runIf(usesRedis)('ends sessions on every instance', async () => {
    const user = await logins.victim();
    expect((await logins.profile(user.thief.token, other)).status).toBe(200);
    expect((await logins.open(user.linkToken, other)).status).toBe(200);
    expect((await logins.confirm(user.linkToken, test)).status).toBe(200);
    expect((await logins.profile(user.thief.token, other)).body.code).toBe('reported_not_me');
  });

  it('and its-not-me at the same moment are one lockdown, with one mail whose link works', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await logins.victim();
      const { refresh_token, token: bearer } = user;
      const [linked, said] = await Promise.all([
        logins.report(user.linkToken, round % 2 ? test : other),
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
      expect(await logins.alerts(user), `round ${round}`).toBe(1);
      expect((await logins.reset(user)).status).toBe(200);
    }
  });

  it.each<[string, Call, Call]>([
    ['disabled', ['PATCH', '', { status: 'inactive' }], ['PATCH', '', { status: 'active' }]],
    ['deleted', ['DELETE', ''], ['POST', '/restore', {}]],
  ])(
    'works for an account that is %s, which a thief cannot use when it is opened again',
    async (_what, close, open) => {
      const admin = await test.personas.admin();
      const user = await logins.victim();
      const decide = async ([method, path, body]: Call) => {
        const options = { method, body, apiKey: API_KEY, bearer: admin.token };
        expect((await test.client().request(`/api/users/${user.userId}${path}`, options)).status).toBe(200);
      };
      const logIn = async () =>
        (await test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD })).body.code;
      await decide(close);
      expect((await logins.open(user.linkToken)).status).toBe(200);
      expect((await logins.report(user.linkToken)).status).toBe(200);
      expect((await logins.report(user.linkToken)).body.code).toBe('report_link_used');
      expect(await logIn(), 'as for anybody').toBe('invalid_credentials');
      expect(await logins.alerts(user), 'a reset would not let the owner in').toBe(0);
      await decide(open);
      expect(await logIn()).toBe('password_reset_required');
      await test.client().post('/auth/forgot-password', { email: user.registration.email });
      expect((await logins.reset(user, 'password-reset')).status).toBe(200);
    },
  );

  it('still works when the thief has logged out', async () => {
    const { thief, ...user } = await logins.victim();
    const { refresh_token, token: bearer } = thief;
    expect((await test.client().post('/auth/logout', { refresh_token }, { bearer })).status).toBe(200);
    expect((await logins.confirm(user.linkToken)).status).toBe(200);
    expect((await logins.profile(user.token)).body.code).toBe('reported_not_me');
  });

  it('still works when the thief, who knows the password, has changed it', async () => {
    const { thief, linkToken } = await logins.victim();
    const changed = await test
      .client()
      .post(
        '/api/profile/password',
        { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD },
        { bearer: thief.token, apiKey: API_KEY },
      );
    expect(changed.status).toBe(200);
    expect((await logins.profile(thief.token)).status).toBe(200);
    expect((await logins.confirm(linkToken)).status).toBe(200);
    expect((await logins.profile(thief.token)).status).toBe(401);
  });

  it('is void once the password was reset by mail: those sessions have ended', async () => {
    const user = await logins.victim();
    await test.client().post('/auth/forgot-password', { email: user.registration.email });
    expect((await logins.reset(user, 'password-reset')).status).toBe(200);
    expect((await logins.confirm(user.linkToken)).text).toContain('That login has ended already');
    expect(await logins.alerts(user)).toBe(0);

    const next = await logins.logInFromElsewhere(user, NEW_PASSWORD, 2);
    expect((await logins.report(user.linkToken)).body.code).toBe('report_link_used');
    expect((await logins.report(next.linkToken)).status).toBe(200);
  });

  it('expires after seven days', async () => {
    const late = await startTestApp({ beside: test });
    const user = await logins.victim();
    late.clock.advance(7 * DAY + 1000);
    for (const page of [await logins.open(user.linkToken, late), await logins.confirm(user.linkToken, late)]) {
      expect(page.status).toBe(400);
      expect(page.text).toContain('This link has expired');
    }
    expect((await logins.report(user.linkToken, late)).body.code).toBe('report_link_expired');
    await late.close();
    expect((await logins.confirm(user.linkToken)).status).toBe(200);
  });

  it('is recorded, whether it worked or not', async () => {
    const user = await logins.victim();
    await logins.confirm(user.linkToken);
    const again = await logins.confirm(user.linkToken);
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
});
