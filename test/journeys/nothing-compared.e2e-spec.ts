import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/common/errors/index.js';
import { PasswordHasher } from '../../src/security/index.js';
import type { ApiClient } from '../support/api-client.js';
import { wrongCode } from '../support/inbox.js';
import { SECOND } from '../support/manual-clock.js';
import { NEW_PASSWORD } from '../support/password-resets.js';
import { PASSWORD } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** More than any secret has tries, and any account attempts without a delay. */
const TIMES = 25;

describe('Somebody who is told to come again, since too many hashes are waiting, has not guessed', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000', RATE_LIMIT: '1000' } });
  });
  afterAll(() => test.close());

  const expectRefusals = async (ask: () => Promise<{ status: number }>) => {
    const hasher = test.app.get(PasswordHasher);
    const { verify } = hasher;
    hasher.verify = () => Promise.reject(new ApiError('service_unavailable'));
    try {
      for (let i = 0; i < TIMES; i += 1) expect((await ask()).status).toBe(503);
    } finally {
      hasher.verify = verify;
    }
  };

  it('a code: it has all of its tries', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    const verify = (code: string | null) => test.client().post('/auth/verify-otp', { email, otp: code });
    await expectRefusals(() => verify(otp));
    for (let i = 0; i < 4; i += 1) expect((await verify(wrongCode(otp))).status).toBe(400);
    expect((await verify(otp)).status).toBe(200);
  });

  it('a password: the account is not held back', async () => {
    const { registration } = await test.personas.confirmed();
    const login = (password: string) => test.client().post('/auth/login', { login: registration.username, password });
    await expectRefusals(() => login(PASSWORD));
    for (let i = 0; i < 19; i += 1) expect((await login('Wrong-pass1')).status).toBe(401);
    expect((await login(PASSWORD)).status).toBe(200);
  });

  it('the present password, where it is changed', async () => {
    const user = await test.personas.user();
    const change = () =>
      user.api.post('/api/profile/password', {
        current_password: PASSWORD,
        password: NEW_PASSWORD,
        password_confirmation: NEW_PASSWORD,
      });
    await expectRefusals(change);
    expect((await change()).status).toBe(200);
  });

  it('a password, from a known device of an account that is delayed: nothing is taken off what strangers guessed', async () => {
    test.clock.freeze();
    const { registration } = await test.personas.confirmed();
    const [home, stranger] = [test.client('192.0.2.1'), test.client('203.0.113.1')];
    const login = async (client: ApiClient, password: string) =>
      (await client.post('/auth/login', { login: registration.username, password })).status;
    expect(await login(home, PASSWORD)).toBe(200);
    for (let i = 0; i < 20; i += 1) expect(await login(stranger, 'Wrong-pass1')).toBe(401);
    expect(await login(stranger, 'Wrong-pass1')).toBe(429);
    await expectRefusals(async () => ({ status: await login(home, PASSWORD) }));
    test.clock.advance(SECOND);
    expect([await login(stranger, 'Wrong-pass1'), await login(stranger, 'Wrong-pass1')]).toEqual([401, 429]);
  });
});
