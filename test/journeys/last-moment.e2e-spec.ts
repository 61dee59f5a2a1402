import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { PasswordResets } from '../support/password-resets.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

/** With a clock that stands still: elsewhere a test cannot tell one millisecond from the next. */
describe('To the last millisecond', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    test.clock.freeze();
  });
  afterAll(() => test.close());

  it('a code is good for ten minutes', async () => {
    const [inTime, late] = [await test.personas.visitor(), await test.personas.visitor()];
    const verify = async ({ client, registration: { email } }: typeof late) => {
      const { otp } = await test.inbox.waitFor(email, 'email-verification');
      return (await client.post('/auth/verify-otp', { email, otp })).status;
    };
    test.clock.advance(10 * MINUTE - 1);
    expect(await verify(inTime)).toBe(200);
    test.clock.advance(1);
    expect(await verify(late)).toBe(400);
  });

  it('the link of a forgotten password is good for 15 minutes', async () => {
    const resets = new PasswordResets(test);
    const newToken = async () => resets.tokenFor((await test.personas.confirmed()).registration.email);
    const [inTime, late] = [await newToken(), await newToken()];
    test.clock.advance(15 * MINUTE - 1);
    expect((await resets.reset(inTime)).status).toBe(200);
    test.clock.advance(1);
    expect((await resets.reset(late)).body.code).toBe('invalid_reset_token');
  });

  it('an API key is good until it expires, and one that was replaced while its overlap lasts', async () => {
    const { api, token: bearer } = await test.personas.admin();
    const isGoodAfter = async (ms: number, apiKey: string) => {
      test.clock.advance(ms);
      return (await test.client().get('/api/profile', { apiKey, bearer })).status === 200;
    };
    const expires_at = new Date(test.clock.nowMs() + 2 * SECOND).toISOString();
    const { key, _id } = (await api.post('/api/api-keys', { name: 'for-two-seconds', expires_at })).body.data;
    const rotate = (overlap_seconds: number) => api.post(`/api/api-keys/${_id}/rotate`, { overlap_seconds });

    const next = (await rotate(1)).body.data.key as string;
    expect([await isGoodAfter(SECOND - 1, key), await isGoodAfter(1, key)]).toEqual([true, false]);
    const last = (await rotate(1)).body.data.key as string;
    expect([await isGoodAfter(SECOND - 1, next), await isGoodAfter(0, last)]).toEqual([true, true]);
    expect([await isGoodAfter(1, next), await isGoodAfter(0, last)]).toEqual([false, false]);
    for (const overlap of [0, 1]) expect((await rotate(overlap)).body.errors[0].field).toBe('id');
    expect((await api.post('/api/api-keys', { name: 'for-no-time', expires_at })).body.errors[0].field).toBe(
      'expires_at',
    );
    expect((await test.client().get('/api/profile', { apiKey: API_KEY, bearer })).status).toBe(200);
  });
});
