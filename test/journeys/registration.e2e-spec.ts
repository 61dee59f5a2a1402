import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PasswordHasher } from '../../src/security/index.js';
import { newRegistration } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { MINUTE } from '../support/manual-clock.js';

describe('Registration', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('makes an account and mails a code', async () => {
    const registration = newRegistration({ first_name: 'Ada', last_name: 'Lovelace' });
    const { status, body } = await test.client().post('/auth/register', registration);
    expect(status).toBe(201);
    expect(body).toEqual({
      status_code: 201,
      status: 'SUCCESS',
      message: expect.stringMatching(/registration.*e-?mail.*otp/i),
      data: {
        user: {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          username: registration.username,
          email: registration.email,
          last_name: 'Lovelace',
          first_name: 'Ada',
        },
        otp_sent: true,
      },
    });
    const mail = await test.inbox.waitFor(registration.email, 'email-verification');
    expect(mail.otp).toMatch(/^\d{6}$/);
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain(mail.otp);
      expect(part).toContain('10 minutes');
    }
  });

  it('stores the password as bcrypt and the code as a hash', async () => {
    const { registration } = await test.personas.visitor();
    const user = await test.database.collection('users').findOne({ email: registration.email });
    expect(user?.password).toMatch(/^\$2b\$\d\d\$/);
    const secret = await test.database.collection('one_time_secrets').findOne({ subject: user?._id });
    expect(secret?.hash).toMatch(/^\$2b\$\d\d\$/);
    const mail = await test.database.collection('mails').findOne({ to: registration.email });
    const { otp } = await test.inbox.waitFor(registration.email, 'email-verification');
    expect(JSON.stringify(mail)).not.toContain(otp);
  });

  it('keeps username and e-mail as typed, and unique without regard to case', async () => {
    const registration = newRegistration();
    const typed = {
      ...registration,
      username: registration.username.toUpperCase(),
      email: registration.email.toUpperCase(),
    };
    const first = await test.client().post('/auth/register', typed);
    expect(first.body.data.user).toMatchObject({ username: typed.username, email: typed.email });

    const sameEmail = await test.client().post('/auth/register', newRegistration({ email: registration.email }));
    expect(sameEmail.status).toBe(422);
    expect(sameEmail.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'email', message: 'email is already taken' }],
    });

    const sameName = await test.client().post('/auth/register', newRegistration({ username: registration.username }));
    expect(sameName.status).toBe(422);
    expect(sameName.body.errors).toEqual([{ field: 'username', message: 'username is already taken' }]);

    const sameBoth = await test.client().post('/auth/register', registration);
    expect(sameBoth.body.errors).toEqual([
      { field: 'username', message: 'username is already taken' },
      { field: 'email', message: 'email is already taken' },
    ]);
  });

  it('yields one account to parallel registrations, on whichever instance', async () => {
    const other = await startTestApp({ beside: test });
    onTestFinished(() => other.close());
    for (let round = 0; round < 20; round += 1) {
      const registration = newRegistration();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 ? test : other).client().post('/auth/register', registration)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 422)]);
      expect(await test.database.collection('users').countDocuments({ email: registration.email })).toBe(1);
      const user = await test.database.collection('users').findOne({ email: registration.email });
      expect(await test.database.collection('auths').countDocuments({ user: user?._id })).toBe(1);
      expect(await test.database.collection('mails').countDocuments({ to: registration.email })).toBe(1);
    }
  });

  it.each(['username', 'email'] as const)('hashes for one of those who want the same %s at once', async (name) => {
    const hash = vi.spyOn(test.app.get(PasswordHasher), 'hash');
    onTestFinished(() => hash.mockRestore());
    const wanted = newRegistration()[name];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => {
        const registration = newRegistration({ [name]: i % 2 ? wanted : wanted.toUpperCase() });
        return test.client().post('/auth/register', registration);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 422)]);
    // The password's, and the code's.
    expect(hash).toHaveBeenCalledTimes(2);
  });

  it('leaves nothing behind when the username is taken', async () => {
    const { registration } = await test.personas.visitor();
    const before = await test.database.collection('auths').countDocuments();
    const other = newRegistration({ username: registration.username });
    expect((await test.client().post('/auth/register', other)).status).toBe(422);
    expect(await test.database.collection('users').countDocuments({ email: other.email })).toBe(0);
    expect(await test.database.collection('auths').countDocuments()).toBe(before);
    expect(await test.inbox.mailsTo(other.email)).toEqual([]);
  });

  it('replaces an account whose address was not confirmed in time', async () => {
    const squatter = await test.personas.visitor({ password: 'Squatter1@', password_confirmation: 'Squatter1@' });
    const { email } = squatter.registration;
    const early = await test.client().post('/auth/register', newRegistration({ email }));
    expect(early.status).toBe(422);

    // Not before the first mail has left: it would be dropped with its code.
    await test.inbox.waitFor(email, 'email-verification');
    test.clock.advance(11 * MINUTE);
    const owner = newRegistration({ email });
    expect((await test.client().post('/auth/register', owner)).status).toBe(201);
    const { otp } = await test.inbox.waitFor(email, 'email-verification', 2);
    expect((await test.client().post('/auth/verify-otp', { email, otp })).status).toBe(200);
    const asSquatter = await test.client().post('/auth/login', { login: email, password: 'Squatter1@' });
    expect(asSquatter.body.code).toBe('invalid_credentials');
    const asOwner = await test.client().post('/auth/login', { login: email, password: owner.password });
    expect(asOwner.status).toBe(200);
  });

  it('does not begin the quota of an address anew with each account that is replaced, and says when no code is sent', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const storedMails = () => test.database.collection('mails').countDocuments({ to: email });
    const answers = new Set<boolean>();
    for (let i = 0; i < 8; i += 1) {
      test.clock.advance(10 * MINUTE + 1_000);
      const before = await storedMails();
      const { status, body } = await test.client().post('/auth/register', newRegistration({ email }));
      expect(status).toBe(201);
      expect(body.data.otp_sent).toBe((await storedMails()) > before);
      answers.add(body.data.otp_sent);
      await test.client().post('/auth/resend-otp', { email });
    }
    expect(answers).toEqual(new Set([true, false]));
    const mails = await test.database.collection('mails').find({ to: email }).sort({ created_at: 1 }).toArray();
    const times = mails.map(({ created_at }) => (created_at as Date).getTime());
    for (const [i, time] of times.entries()) {
      if (i > 0) expect(time - (times[i - 1] as number)).toBeGreaterThanOrEqual(MINUTE);
      if (i >= 5) expect(time - (times[i - 5] as number)).toBeGreaterThanOrEqual(60 * MINUTE);
    }
    expect(times.length).toBeGreaterThan(4);
  });

  it('makes a code void that was mailed for the account that is replaced', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    await test.inbox.waitFor(email, 'email-verification');
    test.clock.advance(11 * MINUTE);
    await test.client().post('/auth/resend-otp', { email });
    const { otp } = await test.inbox.waitFor(email, 'email-verification', 2);
    expect((await test.client().post('/auth/register', newRegistration({ email }))).status).toBe(201);
    expect((await test.client().post('/auth/verify-otp', { email, otp })).body.code).toBe('invalid_otp');
  });

  it('does not replace an account that is confirmed', async () => {
    const { registration } = await test.personas.confirmed();
    test.clock.advance(60 * MINUTE);
    const { status } = await test.client().post('/auth/register', newRegistration({ email: registration.email }));
    expect(status).toBe(422);
  });

  it('refuses what is not a valid registration, field by field', async () => {
    const valid = newRegistration();
    const cases: [string, Record<string, unknown>, string | RegExp][] = [
      ['last_name', { last_name: 'L' }, /at least 2/],
      ['first_name', { first_name: 'A' }, /at least 2/],
      ['first_name', { first_name: '   ' }, /blank/],
      ...['\u200b \u200f', '\u3164 \u3164', '\u115f\u1160', '\ufe0f\ufe0f', '\u{e0100} \u{e0100}', '\u2800\u2800'].map(
        (first_name): [string, Record<string, unknown>, RegExp] => ['first_name', { first_name }, /blank/],
      ),
      ['first_name', { first_name: 'Ada\r\nBcc: x@example.com' }, /control/],
      ['first_name', { first_name: 'Ada\u2028Bcc' }, /control/],
      ['first_name', { first_name: 'Ada\u202eecalevoL' }, /control/],
      ['first_name', { first_name: 'Ada\u2029Bcc' }, /control/],
      ['first_name', { first_name: 'Ada\u0085Bcc' }, /control/],
      ['first_name', { first_name: 'A\ud800b' }, /well-formed/],
      ['last_name', { last_name: 'L'.repeat(101) }, /at most 100/],
      ['username', { username: 'ab' }, /at least 3/],
      ['username', { username: 'a'.repeat(65) }, /at most 64/],
      ['username', { username: 'with space' }, /letters, digits/],
      ['username', { username: 'аdmin' }, /letters, digits/],
      ['username', { username: 'admin\n' }, /letters, digits/],
      ['email', { email: 'nobody' }, /valid e-mail/],
      ['email', { email: 'a@localhost' }, /valid e-mail/],
      ['email', { email: 'a@b.co, c@d.co' }, /valid e-mail/],
      ['email', { email: 'a@b.co\r\nBcc: x@y.co' }, /valid e-mail/],
      ['email', { email: '"a b"@b.co' }, /valid e-mail/],
      ['email', { email: 'а@b.co' }, /valid e-mail/],
      ['email', { email: 'ada@münchen.example' }, /valid e-mail address in ASCII/],
      ['email', { email: `${'a'.repeat(250)}@b.co` }, /at most 254|valid e-mail/],
      ['password', { password: 'Ab1@efg' }, /at least 8/],
      ['password', { password: 'Ab1@efe\u0301' }, /at least 8/],
      ['password', { password: 'short' }, 'Password must include uppercase, lowercase, number, and special character'],
      [
        'password',
        { email: 'Ada1@example.com', password: 'aDA1@example.com', password_confirmation: 'aDA1@example.com' },
        /must not be your e-mail/,
      ],
      [
        'password',
        { password: 'abcdefg1@' },
        'Password must include uppercase, lowercase, number, and special character',
      ],
      [
        'password',
        { password: 'ABCDEFG1@' },
        'Password must include uppercase, lowercase, number, and special character',
      ],
      [
        'password',
        { password: 'Abcdefgh@' },
        'Password must include uppercase, lowercase, number, and special character',
      ],
      [
        'password',
        { password: 'Abcdefgh1' },
        'Password must include uppercase, lowercase, number, and special character',
      ],
      ['password', { password: 'A\u0308bc1@efgh' }, /uppercase/],
      ['password', { password: `Aa1@${'x'.repeat(69)}` }, /at most 72 bytes/],
      ['password_confirmation', { password_confirmation: 'Abcdef1@ ' }, /equal to password/],
      ['role', { role: 'admin' }, /should not exist/],
    ];
    for (const field of Object.keys(valid)) {
      for (const value of [undefined, null, 7, true, [], {}, { $ne: null }, ['a']])
        cases.push([field, { [field]: value }, /.+/]);
    }
    const before = await test.database.collection('users').countDocuments();
    for (const [field, change, message] of cases) {
      const { status, body } = await test.client().post('/auth/register', { ...valid, ...change });
      const label = `${field} ${JSON.stringify(change)}`;
      expect(status, label).toBe(422);
      expect(body, label).toMatchObject({
        status_code: 422,
        status: 'ERROR',
        code: 'validation_failed',
        message: 'Validation failed',
      });
      const error = body.errors.find((entry: { field: string }) => entry.field === field);
      expect(error?.message, label).toMatch(message);
    }
    expect(await test.database.collection('users').countDocuments()).toBe(before);
  });

  it('accepts names and addresses of the least length and of the greatest', async () => {
    const domain = [63, 63, 57].map((length) => 'd'.repeat(length)).join('.');
    for (const change of [
      { first_name: 'Bo', last_name: 'Li' },
      { first_name: 'B'.repeat(100), last_name: 'L'.repeat(100) },
      { username: 'Bo_' },
      { username: 'b'.repeat(64) },
      { email: 'b@d.co' },
      { email: `${'b'.repeat(64)}@${domain}.com` },
      { email: "!#$%&'*+/=?^_`{|}~-.b@d.co" },
    ]) {
      const { status, text } = await test.client().post('/auth/register', newRegistration(change));
      expect(status, text).toBe(201);
    }
    const beyond = await test
      .client()
      .post('/auth/register', newRegistration({ email: `${'b'.repeat(64)}@${domain}d.com` }));
    expect(beyond.body.errors).toEqual([{ field: 'email', message: 'email must be at most 254 characters long' }]);
  });

  it('accepts passwords of 8 characters and of 72 bytes, with anything in them', async () => {
    for (const password of [
      'Abcdef1@',
      `Aa1@${'x'.repeat(68)}`,
      ' Ab1@ é ü ',
      'Ab1@\u0000\u0001xyz',
      `Aa1@${'😀'.repeat(17)}`,
    ]) {
      const { registration } = await test.personas.confirmed({ password, password_confirmation: password });
      const { status } = await test.client().post('/auth/login', { login: registration.username, password });
      expect(status, password).toBe(200);
      const trimmed = await test
        .client()
        .post('/auth/login', { login: registration.username, password: `${password} ` });
      expect(trimmed.status, password).toBe(401);
    }
  });

  it('purges accounts that stay unconfirmed', async () => {
    const { registration } = await test.personas.visitor();
    const user = await test.database.collection('users').findOne({ email: registration.email });
    const hours = (user?.unconfirmed_until.getTime() - user?.created_at.getTime()) / 3_600_000;
    expect(hours).toBe(24);
    for (const name of ['users', 'auths']) {
      const indexes = await test.database.collection(name).indexes();
      expect(indexes).toContainEqual(expect.objectContaining({ key: { unconfirmed_until: 1 }, expireAfterSeconds: 0 }));
    }
    const confirmed = await test.personas.confirmed();
    const kept = await test.database.collection('users').findOne({ email: confirmed.registration.email });
    expect(kept).not.toHaveProperty('unconfirmed_until');
    const auth = await test.database.collection('auths').findOne({ user: kept?._id });
    expect(auth).toMatchObject({ confirmed_at: expect.any(Date) });
    expect(auth).not.toHaveProperty('unconfirmed_until');
  });
});
