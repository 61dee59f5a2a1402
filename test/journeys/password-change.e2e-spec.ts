import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { NewPasswords, SecurityEvents } from '../../src/security/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { MINUTE } from '../support/manual-clock.js';
import { NEW_PASSWORD, PasswordResets } from '../support/password-resets.js';
import { PASSWORD, type User } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('Changing one’s password', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const change = (user: Pick<User, 'token'>, body: object, client = test.client()) =>
    client.post('/api/profile/password', body, { apiKey: API_KEY, bearer: user.token });
  const valid = { current_password: PASSWORD, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
  const profile = async (bearer: string) =>
    (await test.client().get('/api/profile', { apiKey: API_KEY, bearer })).status;

  it('ends the other sessions, and this one goes on', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    expect(await profile(other.token)).toBe(200);
    const changedAt = async () =>
      Date.parse(
        (await test.client().get('/api/profile', { apiKey: API_KEY, bearer: user.token })).body.data.updated_at,
      );
    const before = await changedAt();
    test.clock.advance(1_000);
    const { status, body } = await change(user, valid);
    expect(await changedAt()).toBeGreaterThan(before);
    expect(status).toBe(200);
    expect(body).toEqual({ error: false, message: 'Password changed', data: null });
    expect(await profile(other.token)).toBe(401);
    expect(await profile(user.token)).toBe(200);
    expect((await test.client().post('/auth/refresh-token', { refresh_token: user.refresh_token })).status).toBe(200);
    const refreshed = await test.client().post('/auth/refresh-token', { refresh_token: other.refresh_token });
    expect(refreshed.body.code).toBe('password_changed');
    const login = (password: string) =>
      test.client().post('/auth/login', { login: user.registration.username, password });
    expect([(await login(PASSWORD)).status, (await login(NEW_PASSWORD)).status]).toEqual([401, 200]);
    const { text, html } = await test.inbox.waitFor(user.registration.email, 'password-changed');
    for (const part of [text, html]) {
      expect(part).toContain('All other devices were logged out');
      expect(part).toMatch(/log in again on your\sother devices/);
      expect(part).not.toContain('All devices');
    }
  });

  it('ends a session that is older than the settings allow today, of which an access token is left', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    const { sessionMaxAgeMs } = test.config.tokens;
    await test.database
      .collection('login_histories')
      .updateOne(
        { token: `sha256:${createHash('sha256').update(other.token).digest('hex')}` },
        { $set: { login_at: new Date(test.clock.nowMs() - sessionMaxAgeMs - MINUTE) } },
      );
    expect(await profile(other.token)).toBe(200);
    expect((await change(user, valid)).status).toBe(200);
    expect([await profile(user.token), await profile(other.token)]).toEqual([200, 401]);
  });

  it('asks for the current one, and for a good new one', async () => {
    const user = await test.personas.user({ email: `Ada1.${randomUUID()}@example.com` });
    const { email } = user.registration;
    const own = await change(user, { ...valid, password: email, password_confirmation: email });
    expect(own.body.errors[0].message).toMatch(/must not be your e-mail/);
    const wrong = await change(user, { ...valid, current_password: 'Wrong-pass1' });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors).toEqual([{ field: 'current_password', message: 'current_password is wrong' }]);
    const tooLong = `Aa1$${'é'.repeat(35)}`;
    for (const body of [
      { ...valid, password: 'weak' },
      { ...valid, password: tooLong, password_confirmation: tooLong },
      { ...valid, password_confirmation: 'x' },
      { password: NEW_PASSWORD },
    ]) {
      expect((await change(user, body)).status).toBe(422);
    }
    expect(
      (await test.client().post('/auth/login', { login: user.registration.username, password: PASSWORD })).status,
    ).toBe(200);
  });

  it('leaves no link that was mailed before with which the password can be reset', async () => {
    const user = await test.personas.user();
    const resets = new PasswordResets(test);
    const token = await resets.tokenFor(user.registration.email);
    expect((await change(user, { ...valid, current_password: 'Wrong-pass1' })).status).toBe(422);
    expect((await change(user, valid)).status).toBe(200);
    expect((await resets.reset(token, 'Brand-new6$')).body.code).toBe('invalid_reset_token');
    test.clock.advance(MINUTE);
    const newer = await resets.tokenFor(user.registration.email, 2);
    expect((await resets.reset(newer, 'Brand-new6$')).status).toBe(200);
  });

  it('many times at once lets its owner reset it after one of them', async () => {
    const owner = await test.personas.user();
    const resets = new PasswordResets(test);
    const token = await resets.tokenFor(owner.registration.email);
    const accounts = test.app.get(AccountsRepository, { strict: false });
    const hash = vi.spyOn(test.app.get(NewPasswords, { strict: false }), 'hash');
    const hashed = () => hash.mock.settledResults.filter(({ type }) => type === 'fulfilled').length;
    const begun: string[] = [];
    let goOn = (): void => undefined;
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const { changePasswordIfCurrent, resetPassword } = accounts;
    vi.spyOn(accounts, 'changePasswordIfCurrent').mockImplementation(async (...args) => {
      begun.push('change');
      await mayGoOn;
      return changePasswordIfCurrent.apply(accounts, args);
    });
    vi.spyOn(accounts, 'resetPassword').mockImplementation((...args) => {
      begun.push('reset');
      return resetPassword.apply(accounts, args);
    });
    onTestFinished(() => void vi.restoreAllMocks());

    const changes = Array.from({ length: 5 }, () => change(owner, valid));
    await expect.poll(hashed).toBe(5);
    const reset = resets.reset(token);
    await expect.poll(hashed).toBe(6);
    // Until it has its turn in the queue.
    await pause(100);
    goOn();
    await Promise.all([...changes, reset]);
    expect(begun.slice(0, 2)).toEqual(['change', 'reset']);
    expect(begun.length).toBeGreaterThan(2);
  });

  it('succeeds five times an hour, and five more after a recovery, so that a link that is mailed then works', async () => {
    const user = await test.personas.user();
    const { email, username } = user.registration;
    const resets = new PasswordResets(test);
    let current = PASSWORD;
    const changeOften = async (of: Pick<User, 'token'>) => {
      const statuses: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        const password = `Brand-new${i}$`;
        const body = { current_password: current, password, password_confirmation: password };
        const { status, body: answer } = await change(of, body);
        statuses.push(status);
        if (status === 200) current = password;
        else expect([answer.code, answer.retry_after]).toEqual(['too_many_requests', expect.any(Number)]);
      }
      return statuses;
    };
    const five = [200, 200, 200, 200, 200, 429];
    expect(await changeOften(user)).toEqual(five);
    const event = { user: new Types.ObjectId(user.userId), kind: 'excess_rate_limit_exceeded' };
    await test.app.get(SecurityEvents).flush();
    expect(await test.database.collection('security_events').countDocuments(event)).toBe(1);
    const token = await resets.tokenFor(email);
    expect((await change(user, { ...valid, current_password: current })).status).toBe(429);
    expect((await resets.reset(token, 'Recovered1$')).status).toBe(200);
    current = 'Recovered1$';
    const login = async () =>
      (await test.client().post('/auth/login', { login: username, password: current })).body.data;
    expect(await changeOften(await login())).toEqual(five);
    await test.advance(60 * MINUTE);
    expect(await changeOften(await login())).toEqual(five);
  });

  it('succeeds once, of any number at the same moment that know the same password', async () => {
    for (let round = 0; round < 10; round += 1) {
      const user = await test.personas.user();
      const chosen = ['Brand-new2$', 'Brand-new3$', 'Brand-new4$', 'Brand-new5$'];
      const answers = await Promise.all(
        chosen.map((password) => change(user, { ...valid, password, password_confirmation: password })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422]);
      const overtaken = answers.filter(({ status }) => status === 422).flatMap(({ body }) => body.errors);
      expect(new Set(overtaken.map(({ message }) => message as string))).toEqual(
        new Set(['current_password is wrong']),
      );
      const logins = await Promise.all(
        chosen.map((password) => test.client().post('/auth/login', { login: user.registration.username, password })),
      );
      expect(logins.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 200 ? 200 : 401)));
      await test.inbox.waitFor(user.registration.email, 'password-changed');
      const mails = await test.database
        .collection('mails')
        .countDocuments({ to: user.registration.email, kind: 'password-changed' });
      expect(mails).toBe(1);
    }
  });

  it('is refused to a session that another change, or a reset, ends meanwhile', async () => {
    for (let round = 0; round < 10; round += 1) {
      const user = await test.personas.user();
      const other = await test.personas.login(user);
      const answers = await Promise.all([user, other].map((one) => change(one, valid)));
      const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
      expect([won?.status, lost?.status, lost?.body.code]).toEqual([200, 401, 'password_changed']);
    }
    const user = await test.personas.user();
    await test.client().post('/auth/forgot-password', { email: user.registration.email });
    const { token } = await test.inbox.waitFor(user.registration.email, 'password-reset');
    const passwords = test.app.get(NewPasswords, { strict: false });
    const hash = passwords.hash.bind(passwords);
    // The new password is hashed once the current one was found right.
    passwords.hash = async (...args) => {
      passwords.hash = hash;
      const reset = { token, password: 'Brand-new6$', password_confirmation: 'Brand-new6$' };
      expect((await test.client().post('/auth/reset-password', reset)).status).toBe(200);
      return hash(...args);
    };
    const { status, body } = await change(user, valid);
    expect([status, body.code]).toEqual([401, 'password_changed']);
  });

  it('takes a repetition that is composed otherwise for the same password', async () => {
    const user = await test.personas.user();
    const [composed, decomposed] = ['Caf\u00e9-1234!', 'Cafe\u0301-1234!'];
    const { status } = await change(user, { ...valid, password: composed, password_confirmation: decomposed });
    expect(status).toBe(200);
    const login = { login: user.registration.username, password: decomposed };
    expect((await test.client().post('/auth/login', login)).status).toBe(200);
  });

  it('is no way to guess past the delay at login', async () => {
    const user = await test.personas.user();
    test.clock.freeze();
    const statuses = [];
    for (let i = 0; i < 22; i += 1)
      statuses.push((await change(user, { ...valid, current_password: `Wrong-${i}` })).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 422));
    expect(statuses.slice(20)).toEqual([429, 429]);

    const owner = await test.personas.user();
    let present = PASSWORD;
    for (const password of [NEW_PASSWORD, 'Another-one3%', PASSWORD]) {
      const next = { current_password: present, password, password_confirmation: password };
      for (let i = 0; i < 10; i += 1)
        expect((await change(owner, { ...next, current_password: 'Wrong-1' })).status).toBe(422);
      expect((await change(owner, next)).status, 'a success begins anew').toBe(200);
      present = password;
    }
  });
});
