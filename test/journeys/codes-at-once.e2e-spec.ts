import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailTransport } from '../../src/mail/delivery/mail-transport.js';
import { PasswordHasher } from '../../src/security/index.js';
import { MINUTE } from '../support/manual-clock.js';
import { newRegistration, type Registration } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('A registration while another code is being made for its address', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  /** While the mail server takes nothing, so that mails wait and can be superseded. */
  const whileMailsWait = async (work: () => Promise<void>) => {
    const transport = test.app.get(MailTransport, { strict: false });
    const { deliver } = transport;
    transport.deliver = () => Promise.reject(new Error('down'));
    await work().finally(() => (transport.deliver = deliver));
    await test.advance(5_000);
  };
  /** Asks for another code, and registers once that is hashed and not yet stored. */
  const registerDuringResend = async (registration: Registration) => {
    const hasher = test.app.get(PasswordHasher);
    const { hash } = hasher;
    hasher.hash = async (secret) => {
      hasher.hash = hash;
      const made = await hash.call(hasher, secret);
      const { status, body } = await test.client().post('/auth/register', registration);
      expect([status, body.data.otp_sent]).toEqual([201, true]);
      return made;
    };
    expect((await test.client().post('/auth/resend-otp', { email: registration.email })).status).toBe(200);
  };
  /** @param count which of the mails it is by then */
  const expectConfirmable = async ({ email }: Registration, count: number) => {
    const { otp } = await test.inbox.waitFor(email, 'email-verification', count);
    expect((await test.client().post('/auth/verify-otp', { email, otp })).status).toBe(200);
  };

  it('is not robbed of its mail by one that is sent to nobody', async () => {
    const registration = newRegistration();
    await whileMailsWait(() => registerDuringResend(registration));
    await expectConfirmable(registration, 1);
  });

  it('nor by one for an account that it replaces', async () => {
    const registration = newRegistration();
    expect((await test.client().post('/auth/register', registration)).status).toBe(201);
    await test.inbox.waitFor(registration.email, 'email-verification');
    await test.advance(11 * MINUTE);
    const next = { ...registration, username: `${registration.username}_b` };
    await whileMailsWait(() => registerDuringResend(next));
    await expectConfirmable(next, 2);
  });
});
