import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MailTransport } from '../../src/mail/delivery/mail-transport.js';
import { ForgotPasswordService } from '../../src/auth/password-reset/forgot-password.service.js';
import type { Transactions } from '../../src/infrastructure/database/index.js';
import { OneTimeSecrets, PasswordHasher } from '../../src/security/index.js';
import { HOUR, MINUTE } from '../support/manual-clock.js';
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

  it('and one for the account that it replaces are never two codes', async () => {
    const beside = await startTestApp({ beside: test });
    for (let round = 0; round < 20; round += 1) {
      const registration = newRegistration();
      const next = { ...registration, username: `${registration.username}_b` };
      expect((await test.client().post('/auth/register', registration)).status).toBe(201);
      await test.inbox.waitFor(registration.email, 'email-verification');
      const { email } = registration;
      // More than an hour ago, so that nothing is left of its first code.
      const created_at = new Date(test.clock.nowMs() - 2 * HOUR);
      const user = await test.database.collection('users').findOneAndUpdate({ email }, { $set: { created_at } });
      await test.database.collection('one_time_secrets').deleteMany({ subject: user?._id });
      const [registered] = await Promise.all([
        beside.client().post('/auth/register', next),
        test.client().post('/auth/resend-otp', { email }),
      ]);
      expect(registered.status).toBe(201);
      expect(await test.database.collection('mails').countDocuments({ to: email }), `round ${round}`).toBe(2);
    }
    await beside.close();
  });

  it('and a link to reset the password of the account that it replaces is no useless one', async () => {
    const registration = newRegistration();
    const next = { ...registration, username: `${registration.username}_b` };
    const { email } = registration;
    expect((await test.client().post('/auth/register', registration)).status).toBe(201);
    await test.advance(11 * MINUTE);
    const secrets = test.app.get(OneTimeSecrets, { strict: false });
    const prepare = secrets.prepareResetToken.bind(secrets);
    let replaced: Promise<unknown> | undefined;
    const { transactions } = test.app.get(ForgotPasswordService, { strict: false }) as unknown as {
      transactions: Transactions;
    };
    const runInTurn = transactions.runInTurn.bind(transactions);
    onTestFinished(() => void Object.assign(transactions, { runInTurn }));
    secrets.prepareResetToken = () => {
      secrets.prepareResetToken = prepare;
      transactions.runInTurn = async (keys, work) => {
        transactions.runInTurn = runInTurn;
        await (replaced ??= test.client().post('/auth/register', next));
        return runInTurn(keys, work);
      };
      return prepare();
    };
    expect((await test.client().post('/auth/forgot-password', { email })).status).toBe(200);
    expect(await replaced).toMatchObject({ status: 201 });
    const links = { to: email, kind: 'password-reset' };
    expect(await test.database.collection('mails').countDocuments(links)).toBe(0);
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
