import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountBackoff, PasswordHasher, SecurityEvents } from '../../src/security/index.js';
import { wrongCode } from '../support/inbox.js';
import { expectRefusal } from '../support/invariants.js';
import { HOUR, MINUTE, SECOND } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const WRONG = 'Wrong-pass1';

describe('Guessing', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    test.clock.freeze();
  });
  afterAll(() => test.close());

  const login = (name: string, password: string, client = test.client()) =>
    client.post('/auth/login', { login: name, password });

  it('one password at many accounts from one address ends after five', async () => {
    const client = test.client();
    const statuses = [];
    for (let i = 0; i < 8; i += 1) statuses.push((await login(`user_${i}`, PASSWORD, client)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  });

  it('at one account from a hundred addresses is held back, the right password too', async () => {
    const { registration } = await test.personas.confirmed();
    const other = await test.personas.confirmed();
    const statuses = [];
    for (let i = 0; i < 100; i += 1) statuses.push((await login(registration.username, WRONG)).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(30);
    const held = await login(registration.username, PASSWORD);
    expectRefusal('/auth/login', held, 429);
    expect(held.body.code).toBe('too_many_login_attempts');
    expect(Number(held.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await login(other.registration.username, PASSWORD)).status).toBe(200);
  });

  it('counts an account once, under each of its names', async () => {
    const { registration } = await test.personas.confirmed();
    const forms = [
      registration.username,
      registration.email,
      registration.username.toUpperCase(),
      registration.email.toUpperCase(),
    ];
    for (let i = 0; i < 20; i += 1) await login(forms[i % forms.length] as string, WRONG);
    for (const form of forms) expectRefusal('/auth/login', await login(form, WRONG), 429);
  });

  it('treats names of nobody like those of accounts', async () => {
    const statuses = [];
    for (let i = 0; i < 21; i += 1)
      statuses.push((await login(i % 2 ? 'nobody_has_this_name' : 'Nobody_has_THIS_name', WRONG)).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses[20]).toBe(429);
  });

  it('grows the delay with each failure, up to an hour, and forgives with time', async () => {
    const { registration } = await test.personas.confirmed();
    for (let i = 0; i < 20; i += 1) await login(registration.username, WRONG);
    let delay = 1;
    for (let round = 0; round < 14; round += 1) {
      const held = await login(registration.username, WRONG);
      expect(Number(held.headers.get('retry-after'))).toBe(Math.min(delay, 3_600));
      test.clock.advance(Math.min(delay, 3_600) * SECOND - 1);
      expect((await login(registration.username, WRONG)).headers.get('retry-after')).toBe('1');
      test.clock.advance(1);
      expect((await login(registration.username, WRONG)).status).toBe(401);
      delay *= 2;
    }
    test.clock.advance(HOUR);
    expect((await login(registration.username, PASSWORD)).status).toBe(200);
    expect((await login(registration.username, WRONG)).status).toBe(401);
  });

  it('does not lock the owner out: neither on a known device, nor from the way back by mail', async () => {
    const owner = await test.personas.confirmed();
    const home = test.client();
    expect((await login(owner.registration.username, PASSWORD, home)).status).toBe(200);
    for (let i = 0; i < 30; i += 1) await login(owner.registration.username, WRONG, test.client(`203.0.113.${i + 1}`));
    const stranger = test.client('192.0.2.1');
    expect((await login(owner.registration.username, PASSWORD, stranger)).status).toBe(429);
    expect((await login(owner.registration.username, PASSWORD, home)).status).toBe(200);

    for (let i = 0; i < 30; i += 1)
      await login(owner.registration.username, WRONG, test.client(`203.0.113.${i + 101}`));
    await test.client().post('/auth/forgot-password', { email: owner.registration.email });
    const { token } = await test.inbox.waitFor(owner.registration.email, 'password-reset');
    const password = 'Brand-new2$';
    expect(
      (await test.client().post('/auth/reset-password', { token, password, password_confirmation: password })).status,
    ).toBe(200);
    expect((await login(owner.registration.username, password, stranger)).status).toBe(200);
  });

  it('for weeks does not use up what the owner has at home', async () => {
    const owner = await test.personas.confirmed();
    const home = test.client();
    const atHome = async () => (await login(owner.registration.username, PASSWORD, home)).status;
    expect(await atHome()).toBe(200);
    const { _id } = (await test.database.collection('users').findOne({ email: owner.registration.email })) ?? {};
    const backoff = test.app.get(AccountBackoff, { strict: false });
    for (let day = 0; day < 30; day += 1) {
      for (let i = 0; i < 30; i += 1) await backoff.reserveAttempt({ userId: String(_id), recoveries: 0 });
      expect(await atHome(), `day ${day}`).toBe(200);
      test.clock.advance(15 * MINUTE);
    }
  });

  it('at login does not keep the owner from changing the password', async () => {
    const owner = await test.personas.user();
    for (let i = 0; i < 30; i += 1) await login(owner.registration.username, WRONG);
    const [current_password, password] = [PASSWORD, 'Brand-new2$'];
    const { status } = await test
      .client()
      .post(
        '/api/profile/password',
        { current_password, password, password_confirmation: password },
        { bearer: owner.token, apiKey: API_KEY },
      );
    expect(status).toBe(200);
  });

  it('from a copied device is held back too', async () => {
    const owner = await test.personas.confirmed();
    expect((await login(owner.registration.username, PASSWORD, test.client('192.0.2.10'))).status).toBe(200);
    const statuses = [];
    for (let i = 0; i < 60; i += 1)
      statuses.push((await login(owner.registration.username, WRONG, test.client(`192.0.2.${i + 11}`))).status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(44);
    expect(statuses.slice(-10)).toEqual(Array.from({ length: 10 }, () => 429));
  });

  it('does not hold back people who log in at the same moment with the right password', async () => {
    const { registration } = await test.personas.confirmed();
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(registration.username, PASSWORD)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('in parallel gets no more comparisons than in sequence', async () => {
    const { registration } = await test.personas.confirmed();
    const hasher = test.app.get(PasswordHasher);
    const verify = hasher.verify.bind(hasher);
    let comparisons = 0;
    hasher.verify = (...args) => {
      comparisons += 1;
      return verify(...args);
    };
    await Promise.all(Array.from({ length: 60 }, () => login(registration.username, WRONG)));
    hasher.verify = verify;
    expect(comparisons).toBe(20);
  });

  it('at an OTP gets five comparisons for each code, and at most five codes an hour', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const user = await test.database.collection('users').findOne({ email });
    const secret = () => test.database.collection('one_time_secrets').findOne({ subject: user?._id });
    let evaluated = 0;
    for (let code = 0; code < 10; code += 1) {
      const before = await secret();
      const { otp } = await test.inbox.waitFor(email, 'email-verification', Math.min(code + 1, 5));
      for (let i = 0; i < 8; i += 1) {
        expectRefusal(
          '/auth/verify-otp',
          await test.client().post('/auth/verify-otp', { email, otp: wrongCode(otp, i + 1) }),
          400,
        );
      }
      const after = await secret();
      evaluated += before?.tries_left - after?.tries_left;
      test.clock.advance(MINUTE);
      await test.client().post('/auth/resend-otp', { email });
    }
    expect(evaluated).toBe(25);
  });

  it('can be begun anew with another code a minute after the last, and with five in any hour', async () => {
    const { email, username, password } = (await test.personas.visitor()).registration;
    const codes = async () => {
      await test.client().post('/auth/resend-otp', { email });
      return test.database.collection('mails').countDocuments({ to: email, kind: 'email-verification' });
    };
    const codesAfter = (ms: number) => {
      test.clock.advance(ms);
      return codes();
    };
    const nextIn = async () => {
      const { body } = await login(username, password);
      return Date.parse(body.resend_available_at) - test.clock.nowMs();
    };
    expect(await nextIn()).toBe(MINUTE);
    expect([await codesAfter(MINUTE - 1), await codesAfter(1)]).toEqual([1, 2]);
    test.clock.advance(2 * MINUTE);
    expect(await nextIn(), 'at once').toBe(0);
    for (let code = 3; code <= 5; code += 1) expect(await codesAfter(MINUTE)).toBe(code);
    // The first is six minutes old.
    expect(await nextIn()).toBe(54 * MINUTE);
    expect([await codesAfter(54 * MINUTE - 1), await codesAfter(1)]).toEqual([5, 6]);
    const stored = await test.database.collection('one_time_secrets').findOne({}, { sort: { last_issued_at: -1 } });
    expect(stored?.purge_at - stored?.last_issued_at, 'it is remembered for as long').toBe(HOUR);
    test.clock.advance(HOUR);
    for (let code = 7; code <= 11; code += 1) expect(await codesAfter(MINUTE)).toBe(code);
    expect(await codesAfter(MINUTE)).toBe(11);
  });

  it('reset tokens changes nothing for their owner', async () => {
    const { registration } = await test.personas.confirmed();
    await test.client().post('/auth/forgot-password', { email: registration.email });
    const { token } = await test.inbox.waitFor(registration.email, 'password-reset');
    for (let i = 0; i < 200; i += 1) {
      const guess = `${(token as string).slice(0, -4)}${String(i).padStart(4, '0')}`;
      const response = await test
        .client()
        .post('/auth/reset-password', { token: guess, password: 'Brand-new2$', password_confirmation: 'Brand-new2$' });
      expectRefusal('/auth/reset-password', response, 400);
    }
    const own = await test
      .client()
      .post('/auth/reset-password', { token, password: 'Brand-new2$', password_confirmation: 'Brand-new2$' });
    expect(own.status).toBe(200);
  });

  it('is recorded, and so is that it is held back, at login and where the password is changed', async () => {
    const { userId, token, registration } = await test.personas.user();
    const [password, password_confirmation] = ['Brand-new2$', 'Brand-new2$'];
    const change = { current_password: WRONG, password, password_confirmation };
    for (let i = 0; i < 21; i += 1) {
      await login(registration.username, WRONG, test.client(`192.0.2.${i + 101}`));
      await test.client().post('/api/profile/password', change, { bearer: token, apiKey: API_KEY });
    }
    await test.app.get(SecurityEvents, { strict: false }).flush();
    const ofUser = { user: new Types.ObjectId(userId), outcome: 'failure' };
    const found = await test.database.collection('security_events').find(ofUser).toArray();
    const told = found.map(({ kind, detail }) => `${kind} ${detail}`);
    const times = (text: string) => told.filter((one) => one === text).length;
    expect(times('authn_login_fail invalid_credentials')).toBe(20);
    expect(times('authn_login_fail password change')).toBe(20);
    expect(times('authn_login_fail_max null')).toBe(1);
    expect(times('authn_login_fail_max password change')).toBe(1);
  });
});
