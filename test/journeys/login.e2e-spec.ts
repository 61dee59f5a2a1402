import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('Login', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('succeeds by username and by e-mail, in any case', async () => {
    const { registration } = await test.personas.confirmed();
    const { username, email } = registration;
    for (const login of [username, email, username.toUpperCase(), email.toUpperCase()]) {
      const { status, body } = await test.client().post('/auth/login', { login, password: PASSWORD });
      expect(status, login).toBe(200);
      expect(body).toEqual({
        status_code: 200,
        status: 'SUCCESS',
        message: expect.any(String),
        data: {
          user: {
            _id: expect.stringMatching(/^[0-9a-f]{24}$/),
            username,
            email,
            last_name: 'Lovelace',
            first_name: 'Ada',
          },
          token: expect.any(String),
          refresh_token: expect.any(String),
          expires_in: 3600,
        },
      });
    }
  });

  it('issues tokens that name user and session and nothing more', async () => {
    const user = await test.personas.user();
    const part = (token: string, index: number) =>
      JSON.parse(Buffer.from(token.split('.')[index] as string, 'base64url').toString());
    expect(part(user.token, 0)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    expect(part(user.refresh_token, 0)).toEqual({ alg: 'HS256', typ: 'rt+jwt' });
    const access = part(user.token, 1);
    expect(Object.keys(access).sort()).toEqual(['aud', 'exp', 'iat', 'id', 'iss', 'jti', 'sid']);
    expect(access.id).toBe(user.userId);
    expect(access.exp - access.iat).toBe(3600);
    const refresh = part(user.refresh_token, 1);
    expect(refresh.exp - refresh.iat).toBe(7 * 86_400);
  });

  it('issues different tokens within one second', async () => {
    const user = await test.personas.user();
    const [a, b] = await Promise.all([test.personas.login(user), test.personas.login(user)]);
    expect(a.token).not.toBe(b.token);
    expect(a.refresh_token).not.toBe(b.refresh_token);
  });

  it('answers an unknown name and a wrong password alike', async () => {
    const { registration } = await test.personas.confirmed();
    const unknown = await test.client().post('/auth/login', { login: 'nobody_at_all', password: PASSWORD });
    const wrong = await test.client().post('/auth/login', { login: registration.username, password: 'Wrong-pass1' });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual({
      status_code: 401,
      status: 'ERROR',
      code: 'invalid_credentials',
      message: 'Invalid credentials',
      attempts_remaining: 4,
    });
    expect(unknown.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
    expect([...unknown.headers.keys()].sort()).toEqual([...wrong.headers.keys()].sort());
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
  });

  it('refuses an unconfirmed address, but only after the right password', async () => {
    const { registration } = await test.personas.visitor();
    const login = registration.username;
    const right = await test.client().post('/auth/login', { login, password: PASSWORD });
    expect(right.status).toBe(403);
    expect(right.body).toEqual({
      status_code: 403,
      status: 'ERROR',
      code: 'email_not_verified',
      message: 'Email not verified',
      email: registration.email,
      resend_available_at: expect.any(String),
    });
    const wrong = await test.client().post('/auth/login', { login, password: 'Wrong-pass1' });
    expect(wrong.status).toBe(401);
  });

  it('tells from when on an unconfirmed user can get another code', async () => {
    const { registration } = await test.personas.visitor();
    const { email, username: login } = registration;
    await test.inbox.waitFor(email, 'email-verification');
    const { body } = await test.client().post('/auth/login', { login, password: PASSWORD });
    const waitMs = Date.parse(body.resend_available_at) - test.clock.nowMs();
    expect(waitMs).toBeGreaterThan(0);
    const mails = () => test.database.collection('mails').countDocuments({ to: email });
    test.clock.advance(waitMs - 5_000);
    await test.client().post('/auth/resend-otp', { email });
    expect(await mails()).toBe(1);
    test.clock.advance(5_000);
    await test.client().post('/auth/resend-otp', { email });
    expect(await mails()).toBe(2);
  });

  it('refuses disabled and deleted accounts like a wrong password', async () => {
    for (const [collection, change] of [
      ['auths', { disabled_at: new Date() }],
      ['users', { deleted_at: new Date() }],
    ] as const) {
      const user = await test.personas.user();
      const filter = collection === 'auths' ? 'user' : '_id';
      const { _id } = (await test.database.collection('users').findOne({ username: user.registration.username })) ?? {};
      await test.database.collection(collection).updateOne({ [filter]: _id }, { $set: change });
      const { status, body } = await test
        .client()
        .post('/auth/login', { login: user.registration.username, password: PASSWORD });
      expect(status).toBe(401);
      expect(body.code).toBe('invalid_credentials');
    }
  });

  it('says of a disabled account neither that its address is not confirmed nor that its password is to be reset', async () => {
    for (const [persona, isLockedDown] of [
      [await test.personas.visitor(), false],
      [await test.personas.confirmed(), true],
    ] as const) {
      const { username: login } = persona.registration;
      const user = await test.database.collection('users').findOne({ username: login });
      const state = { disabled_at: new Date(), password_reset_required: isLockedDown };
      await test.database.collection('auths').updateOne({ user: user?._id }, { $set: state });
      const { status, body } = await test.client().post('/auth/login', { login, password: PASSWORD });
      expect([status, body.code]).toEqual([401, 'invalid_credentials']);
    }
  });

  it('takes the same password typed in another Unicode form', async () => {
    const { registration } = await test.personas.confirmed({
      password: 'Caf\u00e9-1@bcd',
      password_confirmation: 'Caf\u00e9-1@bcd',
    });
    const { status } = await test
      .client()
      .post('/auth/login', { login: registration.username, password: 'Cafe\u0301-1@bcd' });
    expect(status).toBe(200);
  });

  it('refuses what is no login', async () => {
    for (const body of [
      {},
      { login: 'a' },
      { password: 'b' },
      { login: { $ne: null }, password: { $ne: null } },
      { login: ['a'], password: 'b' },
      { login: '', password: '' },
      { login: 'a', password: '' },
      { login: 'a', password: 'x'.repeat(1025) },
      { login: 'a\u0000', password: 'b' },
      { login: 'a', password: 'b', device: null },
    ]) {
      const { status, body: answer } = await test.client().post('/auth/login', body);
      expect(status, JSON.stringify(body)).toBe(422);
      expect(answer.code).toBe('validation_failed');
    }
  });
});
