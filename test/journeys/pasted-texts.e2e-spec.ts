import { afterAll, beforeAll, expect, describe, it } from 'vitest';
import { newRegistration } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('What is pasted, or completed by a keyboard, with blanks around it', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('is taken all the way from the registration to a new password', async () => {
    const client = test.client();
    const registration = newRegistration();
    const { email, username, password } = registration;
    const registered = await client.post('/auth/register', { ...registration, email: `\t${email} ` });
    expect(registered.status).toBe(201);
    expect(registered.body.data.user.email).toBe(email);

    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    const verified = await client.post('/auth/verify-otp', { email: ` ${email}\n`, otp });
    expect(verified.status, verified.text).toBe(200);
    for (const login of [`${username} `, ` ${email.toUpperCase()} `])
      expect((await client.post('/auth/login', { login, password })).status, login).toBe(200);

    await client.post('/auth/forgot-password', { email: `${email} ` });
    const { token } = await test.inbox.waitFor(email, 'password-reset');
    const renewed = { password: 'Battery-Staple8@', password_confirmation: 'Battery-Staple8@' };
    expect((await client.post('/auth/reset-password', { token: `${token}\r\n`, ...renewed })).status).toBe(200);
  });

  it('is still nothing where nothing else is there', async () => {
    const { body } = await test.client().post('/auth/login', { login: '  ', password: ' ' });
    expect(body.errors).toEqual([{ field: 'login', message: 'login must not be empty' }]);
  });
});
