import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PasswordHasher } from '../../src/security/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { wrongCode } from '../support/inbox.js';
import { MINUTE } from '../support/manual-clock.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

describe('Email verification', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const otpOf = async (email: string, count = 1) =>
    (await test.inbox.waitFor(email, 'email-verification', count)).otp as string;
  const refusal = {
    status_code: 400,
    status: 'ERROR',
    code: 'invalid_otp',
    message: 'Invalid or expired OTP',
    attempts_remaining: expect.any(Number),
  };

  it('is done once, and takes the account out of the reach of whoever registers anew', async () => {
    const user = await test.personas.user();
    const accounts = test.app.get(AccountsRepository, { strict: false });
    expect(await accounts.confirmEmail(user.userId)).toBe(false);
    await accounts.deleteUnconfirmed(user.userId);
    await test.personas.login(user);
  });

  it('confirms the address with the code of the mail', async () => {
    const { client, registration } = await test.personas.visitor();
    const { email } = registration;
    const { status, body } = await client.post('/auth/verify-otp', { email, otp: await otpOf(email) });
    expect(status).toBe(200);
    expect(body).toEqual({
      status_code: 200,
      status: 'SUCCESS',
      message: 'Email verified successfully',
      data: { verified: true },
    });
    const user = await test.database.collection('users').findOne({ email });
    const auth = await test.database.collection('auths').findOne({ user: user?._id });
    expect(auth).toMatchObject({ role: null, confirmed_at: expect.any(Date) });
  });

  it('accepts the address in another case', async () => {
    const { client, registration } = await test.personas.visitor();
    const otp = await otpOf(registration.email);
    const { status } = await client.post('/auth/verify-otp', { email: registration.email.toUpperCase(), otp });
    expect(status).toBe(200);
  });

  it('refuses a wrong code', async () => {
    const { client, registration } = await test.personas.visitor();
    const { email } = registration;
    const { status, body } = await client.post('/auth/verify-otp', { email, otp: wrongCode(await otpOf(email)) });
    expect(status).toBe(400);
    expect(body).toEqual(refusal);
  });

  it('refuses a code used twice', async () => {
    const { client, registration } = await test.personas.visitor();
    const { email } = registration;
    const otp = await otpOf(email);
    await client.post('/auth/verify-otp', { email, otp });
    expect((await client.post('/auth/verify-otp', { email, otp })).body).toEqual(refusal);
  });

  it('refuses a code after ten minutes', async () => {
    const { client, registration } = await test.personas.visitor();
    const { email } = registration;
    const otp = await otpOf(email);
    test.clock.advance(10 * MINUTE + 1_000);
    expect((await client.post('/auth/verify-otp', { email, otp })).body).toEqual(refusal);
  });

  it('refuses somebody else’s code, which stays valid', async () => {
    const ada = await test.personas.visitor();
    const eve = await test.personas.visitor();
    const otp = await otpOf(ada.registration.email);
    expect((await eve.client.post('/auth/verify-otp', { email: eve.registration.email, otp })).body).toEqual(refusal);
    expect((await ada.client.post('/auth/verify-otp', { email: ada.registration.email, otp })).status).toBe(200);
  });

  it('answers alike for an unknown address', async () => {
    const { status, body } = await test
      .client()
      .post('/auth/verify-otp', { email: 'nobody@example.com', otp: '123456' });
    expect(status).toBe(400);
    expect(body).toEqual(refusal);
  });

  it('answers alike for an account that was disabled, and mails it nothing', async () => {
    const { client, registration } = await test.personas.visitor();
    const { email } = registration;
    const otp = await otpOf(email);
    const user = await test.database.collection('users').findOne({ email });
    await test.database.collection('auths').updateOne({ user: user?._id }, { $set: { disabled_at: new Date() } });
    expect((await client.post('/auth/verify-otp', { email, otp })).body).toEqual(refusal);
    test.clock.advance(MINUTE);
    expect((await client.post('/auth/resend-otp', { email })).status).toBe(200);
    expect(await test.database.collection('mails').countDocuments({ to: email, state: 'decoy' })).toBe(1);
  });

  it('refuses a code that expires or is replaced while it is compared', async () => {
    const hasher = test.app.get(PasswordHasher, { strict: false });
    const verify = hasher.verify.bind(hasher);
    const replace = async (email: string) => {
      test.clock.advance(MINUTE);
      await test.client().post('/auth/resend-otp', { email });
    };
    for (const meanwhile of [replace, () => Promise.resolve(test.clock.advance(10 * MINUTE))]) {
      const { client, registration } = await test.personas.visitor();
      const { email } = registration;
      const otp = await otpOf(email);
      hasher.verify = async (...codes) => {
        hasher.verify = verify;
        const isRight = await verify(...codes);
        await meanwhile(email);
        return isRight;
      };
      expect((await client.post('/auth/verify-otp', { email, otp })).body).toEqual(refusal);
    }
  });

  it('confirms no account that an administrator stops while the code is compared', async () => {
    const hasher = test.app.get(PasswordHasher, { strict: false });
    const verify = hasher.verify.bind(hasher);
    const admin = await test.personas.admin();
    for (const [method, body] of [['PATCH', { status: 'inactive' }], ['DELETE']] as const) {
      const { client, registration } = await test.personas.visitor();
      const { email } = registration;
      const otp = await otpOf(email);
      const user = await test.database.collection('users').findOne({ email });
      const path = `/api/users/${String(user?._id)}`;
      const asAdmin = { apiKey: API_KEY, bearer: admin.token };
      hasher.verify = async (...codes) => {
        hasher.verify = verify;
        const isRight = await verify(...codes);
        expect((await test.client().request(path, { method, body, ...asAdmin })).status).toBe(200);
        return isRight;
      };
      expect((await client.post('/auth/verify-otp', { email, otp })).body, method).toEqual(refusal);
      expect((await test.client().get(path, asAdmin)).body.data, method).toMatchObject({
        status: 'inactive',
        confirmed_at: null,
      });
    }
  });

  it('kills a code after five wrong tries, from wherever they come', async () => {
    const { registration } = await test.personas.visitor();
    const { email } = registration;
    const otp = await otpOf(email);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await test.client().post('/auth/verify-otp', { email, otp: wrongCode(otp) })).status).toBe(400);
    }
    expect((await test.client().post('/auth/verify-otp', { email, otp })).body).toEqual(refusal);

    test.clock.advance(MINUTE);
    await test.client().post('/auth/resend-otp', { email });
    const fresh = await otpOf(email, 2);
    expect((await test.client().post('/auth/verify-otp', { email, otp: fresh })).status).toBe(200);
  });

  it('lets exactly one of parallel submissions win', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { registration } = await test.personas.visitor();
      const { email } = registration;
      const otp = await otpOf(email);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => test.client().post('/auth/verify-otp', { email, otp })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    }
  });

  it('refuses what is no code', async () => {
    for (const otp of [123456, '12345', '1234567', 'abcdef', '１２３４５６', ' 123456', null, { $ne: '1' }]) {
      const { status, body } = await test.client().post('/auth/verify-otp', { email: 'a@example.com', otp });
      expect(status, String(otp)).toBe(422);
      expect(body.errors[0].field).toBe('otp');
    }
  });

  describe('asking for another code', () => {
    const answer = async (email: string) => {
      const { status, body } = await test.client().post('/auth/resend-otp', { email });
      return { status, body };
    };

    it('mails a new one, and the older one is dead', async () => {
      const { client, registration } = await test.personas.visitor();
      const { email } = registration;
      const old = await otpOf(email);
      test.clock.advance(MINUTE);
      // It goes to the address as it was registered, however it is typed here.
      const { status, body } = await answer(email.toUpperCase());
      expect(status).toBe(200);
      expect(body).toEqual({ status_code: 200, status: 'SUCCESS', message: expect.any(String) });
      const fresh = await otpOf(email, 2);
      expect(await test.database.collection('mails').countDocuments({ to: email })).toBe(2);
      if (old !== fresh) expect((await client.post('/auth/verify-otp', { email, otp: old })).status).toBe(400);
      expect((await client.post('/auth/verify-otp', { email, otp: fresh })).status).toBe(200);
    });

    it('answers alike for confirmed and unknown addresses, and mails nobody', async () => {
      const unconfirmed = await test.personas.visitor();
      const confirmed = await test.personas.confirmed();
      const expected = await answer(unconfirmed.registration.email);
      expect(await answer(confirmed.registration.email)).toEqual(expected);
      expect(await answer('nobody-at-all@example.com')).toEqual(expected);
      const stored = await test.database
        .collection('mails')
        .find({
          to: { $in: [confirmed.registration.email, 'nobody-at-all@example.com'] },
          kind: 'email-verification',
          state: { $ne: 'sent' },
        })
        .toArray();
      expect(stored.map(({ state }) => state)).toEqual(['decoy', 'decoy']);
    });

    it('is silent after five codes in the next hour, too', async () => {
      const { email } = (await test.personas.visitor()).registration;
      for (const minutes of [1, 1, 1, 1, 56, ...Array<number>(10).fill(1)]) {
        test.clock.advance(minutes * MINUTE);
        expect((await answer(email)).status).toBe(200);
      }
      expect(await test.database.collection('mails').countDocuments({ to: email })).toBe(10);
    });

    it('is silent within a minute, and after five codes in an hour', async () => {
      const { registration } = await test.personas.visitor();
      const { email } = registration;
      const first = await otpOf(email);
      await answer(email);
      expect((await test.inbox.mailsTo(email)).length).toBe(1);
      for (let minute = 0; minute < 10; minute += 1) {
        test.clock.advance(MINUTE);
        expect((await answer(email)).status).toBe(200);
      }
      await otpOf(email, 5);
      const stored = await test.database.collection('mails').countDocuments({ to: email });
      expect(stored).toBe(5);
      expect(first).toMatch(/^\d{6}$/);

      test.clock.advance(60 * MINUTE);
      await answer(email);
      expect(await otpOf(email, 6)).toMatch(/^\d{6}$/);
    });
  });
});
