import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeToken } from '../support/forged-token.js';
import { MINUTE } from '../support/manual-clock.js';
import { newRegistration, PASSWORD } from '../support/personas.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const BLOCKED = 'Blocked-word1$';

describe('What an operator sets', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  let test: TestApp;
  beforeAll(async () => {
    const blocklist = join(directory, 'blocklist.txt');
    writeFileSync(blocklist, `${BLOCKED}\n`);
    test = await startTestApp({
      env: {
        JWT_EXPIRES: '10m',
        JWT_REFRESH_EXPIRES: '1d',
        OTP_EXPIRES: '2m',
        RESET_EXPIRES: '3m',
        AUTH_RATE_LIMIT: '7',
        AUTH_RATE_WINDOW: '4m',
        RATE_LIMIT: '6',
        RATE_WINDOW: '5m',
        TRUST_PROXY: '127.0.0.1,::1,10.0.0.0/8',
        CORS_ORIGINS: 'https://one.example,https://two.example',
        PASSWORD_BLOCKLIST: blocklist,
      },
    });
  });
  afterAll(async () => {
    await test.close();
    rmSync(directory, { recursive: true });
  });

  it('decides how long tokens live', async () => {
    const { client, registration } = await test.personas.confirmed();
    const { body } = await client.post('/auth/login', { login: registration.username, password: PASSWORD });
    expect(body.data.expires_in).toBe(600);
    const lifetimes = [body.data.token, body.data.refresh_token].map((token: string) => {
      const { exp, iat } = decodeToken(token)[1];
      return Number(exp) - Number(iat);
    });
    expect(lifetimes).toEqual([600, 86_400]);
  });

  it('decides how long codes and links in mails live', async () => {
    const { client, registration } = await test.personas.visitor();
    const { email } = registration;
    const { otp } = await test.inbox.waitFor(email, 'email-verification');
    test.clock.advance(2 * MINUTE);
    expect((await client.post('/auth/verify-otp', { email, otp })).body.code).toBe('invalid_otp');

    const owner = await test.personas.confirmed();
    const password = 'Brand-new2$';
    const linkFor = async (count: number) => {
      await owner.client.post('/auth/forgot-password', { email: owner.registration.email });
      return (await test.inbox.waitFor(owner.registration.email, 'password-reset', count)).token;
    };
    const reset = (token: string | null) =>
      owner.client.post('/auth/reset-password', { token, password, password_confirmation: password });
    const late = await linkFor(1);
    test.clock.advance(3 * MINUTE);
    expect((await reset(late)).body.code).toBe('invalid_reset_token');
    const inTime = await linkFor(2);
    test.clock.advance(3 * MINUTE - 1_000);
    expect((await reset(inTime)).status).toBe(200);
  });

  it('decides the limits, each with its own window', async () => {
    const client = test.client();
    const auth = await client.post('/auth/login', {});
    expect(auth.headers.get('ratelimit-policy')).toContain('q=7;w=240');
    const general = await client.get('/api/profile');
    expect(general.headers.get('ratelimit-policy')).toContain('q=6;w=300');
  });

  it('decides whose word on the caller’s address is taken: the right-most hop that is none of these', async () => {
    const statuses = [];
    for (let hop = 1; hop <= 8; hop += 1) {
      const client = test.client(`9.9.9.${hop}, 198.51.100.78, 10.0.0.${hop}`);
      statuses.push((await client.post('/auth/login', {})).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 422, 429]);
  });

  it('decides whose pages may read answers, the front end’s only if it is named', async () => {
    const allowed = async (origin: string) => {
      const { headers } = await test.client().get('/health/live', { headers: { origin } });
      return headers.get('access-control-allow-origin');
    };
    expect(await allowed('https://one.example')).toBe('https://one.example');
    expect(await allowed('https://two.example')).toBe('https://two.example');
    expect(await allowed('https://app.example')).toBeNull();
  });

  it('decides which passwords nobody may have, wherever one is chosen', async () => {
    const refused = {
      status: 422,
      body: { errors: [{ field: 'password', message: expect.stringMatching(/common|leaked|guess/) }] },
    };
    const blocked = { password: BLOCKED, password_confirmation: BLOCKED };
    expect(await test.client().post('/auth/register', newRegistration(blocked))).toMatchObject(refused);
    const user = await test.personas.user();
    await user.client.post('/auth/forgot-password', { email: user.registration.email });
    const { token } = await test.inbox.waitFor(user.registration.email, 'password-reset');
    expect(await user.client.post('/auth/reset-password', { token, ...blocked })).toMatchObject(refused);
    const body = { current_password: PASSWORD, ...blocked };
    const credentials = { apiKey: API_KEY, bearer: user.token };
    expect(await test.client().post('/api/profile/password', body, credentials)).toMatchObject(refused);
  });
});
