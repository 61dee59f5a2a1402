import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NewPasswords, PasswordHasher } from '../../src/security/index.js';
import { usesRedis } from '../support/backends.js';
import { targetsOf } from '../support/inbox.js';
import { DAY, MINUTE, SECOND } from '../support/manual-clock.js';
import { NEW_PASSWORD, PasswordResets } from '../support/password-resets.js';
import { PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('Forgotten password', () => {
  let test: TestApp;
  let resets: PasswordResets;
  beforeAll(async () => {
    test = await startTestApp();
    resets = new PasswordResets(test);
  });
  afterAll(() => test.close());

  const refusal = {
    status_code: 400,
    status: 'ERROR',
    code: 'invalid_reset_token',
    message: 'Invalid or expired token',
    attempts_remaining: expect.any(Number),
  };

  it('mails a link with a token', async () => {
    const { registration } = await test.personas.confirmed();
    // It goes to the address as it was registered, however it is typed here.
    const { status, body } = await resets.forgot(registration.email.toUpperCase());
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    const mail = await test.inbox.waitFor(registration.email, 'password-reset');
    expect(mail.to).toBe(registration.email);
    expect(mail.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(mail.link).toBe(`https://app.example/reset-password?token=${mail.token}`);
    for (const part of [mail.text, mail.html]) expect(part).toContain(mail.link);
    for (const part of [mail.text, mail.html]) {
      expect(part.replaceAll(mail.link as string, '')).toContain(mail.token);
      expect(part).toContain('15 minutes');
    }
    expect(targetsOf(mail)).toEqual([mail.link, mail.link]);
    const stored = JSON.stringify(await test.database.collection('one_time_secrets').find().toArray());
    expect(stored).not.toContain(mail.token);
  });

  it('builds the link from the settings, whatever the request claims', async () => {
    const { registration } = await test.personas.confirmed();
    await test.client().request('/auth/forgot-password', {
      method: 'POST',
      body: { email: registration.email },
      headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    });
    const mail = await test.inbox.waitFor(registration.email, 'password-reset');
    expect(mail.link).toMatch(/^https:\/\/app\.example\//);
    expect(mail.html).not.toContain('evil.example');
  });

  it('changes nothing by itself', async () => {
    const user = await test.personas.user();
    await resets.tokenFor(user.registration.email);
    expect((await resets.login(user.registration.username, PASSWORD)).status).toBe(200);
    expect((await test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY })).status).toBe(200);
  });

  it('answers alike for known and unknown addresses, and mails nobody there', async () => {
    const { registration } = await test.personas.confirmed();
    const known = await resets.forgot(registration.email);
    const unknown = await resets.forgot('nobody-here@example.com');
    expect(unknown.text).toBe(known.text);
    expect(unknown.status).toBe(known.status);
    const mails = await test.database.collection('mails').find({ to: 'nobody-here@example.com' }).toArray();
    expect(mails.map(({ state }) => state)).toEqual(['decoy']);
    expect(mails[0]?.purge_at, 'who has no account is not kept').toEqual(mails[0]?.expires_at);
  });

  it('mails at most once a minute and five times an hour, silently', async () => {
    const { registration } = await test.personas.confirmed();
    for (let request = 0; request < 20; request += 1) {
      expect((await resets.forgot(registration.email)).status).toBe(200);
      test.clock.advance(30 * SECOND);
    }
    expect(
      await test.database.collection('mails').countDocuments({ to: registration.email, kind: 'password-reset' }),
    ).toBe(5);
  });

  it('answers parallel requests alike, with one mail, whether or not there is an account', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { registration } = await test.personas.confirmed();
      for (const email of [registration.email, `nobody_${round}@example.com`]) {
        const answers = await Promise.all(Array.from({ length: 8 }, () => resets.forgot(email)));
        expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
        expect(await test.database.collection('mails').countDocuments({ to: email, kind: 'password-reset' })).toBe(1);
      }
    }
  });

  it('mails again after the clock was set back', async () => {
    const { registration } = await test.personas.confirmed();
    test.clock.advance(DAY);
    await resets.tokenFor(registration.email);
    test.clock.advance(-DAY);
    const token = await resets.tokenFor(registration.email, 2);
    expect((await resets.reset(token)).status).toBe(200);
  });

  it('removes entries of the login history that were taken over from elsewhere, too', async () => {
    const user = await test.personas.user();
    const entries = test.database.collection('login_histories');
    const own = { user: new Types.ObjectId(user.userId) };
    const entry = await entries.findOne(own, { projection: { _id: 0, credential_version: 0 } });
    await entries.insertOne(entry as object);
    expect(await entries.countDocuments(own)).toBe(2);
    expect((await resets.reset(await resets.tokenFor(user.registration.email))).status).toBe(200);
    expect(await entries.countDocuments(own)).toBe(0);
  });

  it('lets a new password be chosen, once', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await resets.tokenFor(registration.email);
    const { status, body } = await resets.reset(token);
    expect(status).toBe(200);
    expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
    expect((await resets.login(registration.username, PASSWORD)).status).toBe(401);
    expect((await resets.login(registration.username, NEW_PASSWORD)).status).toBe(200);
    const again = await resets.reset(token, 'Another-one3%');
    expect(again.status).toBe(400);
    expect(again.body).toEqual(refusal);
    const notice = await test.inbox.waitFor(registration.email, 'password-changed');
    const { text, html } = notice;
    expect(text).toContain('https://app.example/forgot-password');
    expect(targetsOf(notice)).toEqual(Array(2).fill('https://app.example/forgot-password'));
    for (const part of [text, html]) {
      expect(part).toContain('All devices were logged out');
      expect(part).toContain('except to log in again.');
      expect(part).not.toContain('other devices');
    }
  });

  it('ends every session', async () => {
    const user = await test.personas.user();
    const other = await test.personas.login(user);
    const token = await resets.tokenFor(user.registration.email);
    expect((await resets.reset(token)).status).toBe(200);
    for (const session of [user, other]) {
      const { status, body } = await test.client().get('/api/profile', { bearer: session.token, apiKey: API_KEY });
      expect(status).toBe(401);
      expect(body.code).toBe('password_changed');
      const refreshed = await test.client().post('/auth/refresh-token', { refresh_token: session.refresh_token });
      expect(refreshed.body.code).toBe('password_changed');
    }
    const { _id } = (await test.database.collection('users').findOne({ email: user.registration.email })) ?? {};
    expect(await test.database.collection('login_histories').countDocuments({ user: _id })).toBe(0);
  });

  it('refuses a token after 15 minutes', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await resets.tokenFor(registration.email);
    test.clock.advance(15 * MINUTE + SECOND);
    expect((await resets.reset(token)).body).toEqual(refusal);
  });

  it('honours the newest token alone', async () => {
    const { registration } = await test.personas.confirmed();
    const old = await resets.tokenFor(registration.email);
    test.clock.advance(MINUTE);
    const fresh = await resets.tokenFor(registration.email, 2);
    expect((await resets.reset(old)).body).toEqual(refusal);
    expect((await resets.reset(fresh)).status).toBe(200);
  });

  it('refuses a token that expires or is replaced while the new password is hashed', async () => {
    const hasher = test.app.get(PasswordHasher, { strict: false });
    const hash = hasher.hash.bind(hasher);
    const replace = async (email: string) => {
      test.clock.advance(MINUTE);
      await resets.forgot(email);
    };
    for (const meanwhile of [replace, () => Promise.resolve(test.clock.advance(15 * MINUTE))]) {
      const { registration } = await test.personas.confirmed();
      const token = await resets.tokenFor(registration.email);
      hasher.hash = async (password) => {
        hasher.hash = hash;
        await meanwhile(registration.email);
        return hash(password);
      };
      expect((await resets.reset(token)).body).toEqual(refusal);
      expect((await resets.login(registration.username, PASSWORD)).status).toBe(200);
    }
  });

  it('refuses what was never a token, and an OTP', async () => {
    const { registration } = await test.personas.visitor();
    const { otp } = await test.inbox.waitFor(registration.email, 'email-verification');
    for (const token of ['x'.repeat(43), otp as string]) expect((await resets.reset(token)).body).toEqual(refusal);
  });

  it('refuses the token of an account that was disabled meanwhile', async () => {
    const { registration } = await test.personas.confirmed();
    const token = await resets.tokenFor(registration.email);
    const user = await test.database.collection('users').findOne({ email: registration.email });
    const setDisabled = (disabled_at: Date | null) =>
      test.database.collection('auths').updateOne({ user: user?._id }, { $set: { disabled_at } });
    await setDisabled(new Date());
    expect((await resets.reset(token)).body).toEqual(refusal);
    await setDisabled(null);
    expect((await resets.login(registration.username, PASSWORD)).status).toBe(200);
  });

  it('takes the present password for a new one, where nobody else is known to have it', async () => {
    const { registration } = await test.personas.confirmed();
    expect((await resets.reset(await resets.tokenFor(registration.email), PASSWORD)).status).toBe(200);
    expect((await resets.login(registration.username, PASSWORD)).status).toBe(200);
  });

  it('ends the delay of logins, also while Redis is down', async () => {
    const { registration } = await test.personas.confirmed();
    const guess = () => resets.login(registration.username, 'Wrong-pass1');
    for (let i = 0; i < 20; i += 1) await guess();
    expect((await resets.login(registration.username, PASSWORD)).status).toBe(429);
    const token = await resets.tokenFor(registration.email);
    if (usesRedis) await test.client().patch('/dev/faults', { redis: 'down' });
    const { status } = await resets.reset(token);
    await test.client().delete('/dev/faults');
    expect(status).toBe(200);
    expect((await resets.login(registration.username, NEW_PASSWORD)).status).toBe(200);
  });

  it('refuses the token of an account that goes while the new password is hashed', async () => {
    const { registration } = await test.personas.visitor();
    const token = await resets.tokenFor(registration.email);
    const passwords = test.app.get(NewPasswords, { strict: false });
    const hash = passwords.hash.bind(passwords);
    passwords.hash = async (...given) => {
      passwords.hash = hash;
      const user = await test.database.collection('users').findOneAndDelete({ email: registration.email });
      await test.database.collection('auths').deleteOne({ user: user?._id });
      return hash(...given);
    };
    expect((await resets.reset(token)).body).toEqual(refusal);
  });

  it('keeps the token when the new password is refused', async () => {
    const { registration } = await test.personas.confirmed({ email: `Ada1.${randomUUID()}@example.com` });
    const token = await resets.tokenFor(registration.email);
    expect((await resets.reset(token, registration.email)).body.errors[0]).toEqual({
      field: 'password',
      message: 'password must not be your e-mail address or username',
    });
    const weak = await resets.reset(token, 'weak');
    expect(weak.status).toBe(422);
    expect(weak.body.errors[0]).toEqual({
      field: 'password',
      message: 'Password must include uppercase, lowercase, number, and special character',
    });
    expect((await resets.reset(token, `Aa1$${'é'.repeat(35)}`)).body.errors[0].message).toMatch(/72 bytes/);
    const confirmation = await test
      .client()
      .post('/auth/reset-password', { token, password: NEW_PASSWORD, password_confirmation: 'x' });
    expect(confirmation.body.errors[0].field).toBe('password_confirmation');
    expect((await resets.reset(token)).status).toBe(200);
  });

  it('lets one of parallel resets win, and only its password log in', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { registration } = await test.personas.confirmed();
      const token = await resets.tokenFor(registration.email);
      const passwords = ['First-one1@', 'Second-one2@'];
      const answers = await Promise.all(passwords.map((password) => resets.reset(token, password)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const winner = answers.findIndex(({ status }) => status === 200);
      const logins = await Promise.all(passwords.map((password) => resets.login(registration.username, password)));
      expect(logins.map(({ status }) => status)).toEqual(winner === 0 ? [200, 401] : [401, 200]);
    }
  });
});
