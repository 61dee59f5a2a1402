import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MailRecipients } from '../support/mail-recipients.js';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { seriesOf } from '../support/series.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { API_KEY, type TestApp } from '../support/test-app.js';
import { FIREFOX, IPHONE } from '../support/user-agents.js';

describe('Mails that wait', () => {
  let sink: SmtpSink;
  let recipients: MailRecipients;
  let test: TestApp;
  beforeAll(async () => {
    sink = await SmtpSink.start();
    recipients = await MailRecipients.of(sink);
    ({ test } = recipients);
  });
  afterEach(() => {
    sink.refuseWith = null;
    sink.mails.length = 0;
  });
  afterAll(async () => {
    await test.close();
    await sink.stop();
  });

  it('wait each for itself when they tell what happened: the owner hears of every login and every change', async () => {
    const { email, client, logIn, token } = await recipients.user();
    sink.refuseWith = 451;
    await logIn(FIREFOX);
    await logIn(IPHONE);
    for (const [current_password, password] of [
      [PASSWORD, 'Brand-new2$'],
      ['Brand-new2$', 'Another-one3%'],
    ]) {
      const change = { current_password, password, password_confirmation: password };
      const { status } = await client.post('/api/profile/password', change, { apiKey: API_KEY, bearer: token });
      expect(status).toBe(200);
    }
    await recipients.putOff(email, 4);
    for (const { created_at, expires_at } of await test.database
      .collection('mails')
      .find({ to: email, state: 'waiting' })
      .toArray())
      expect(Math.round((expires_at - created_at) / MINUTE), 'they are news for a day').toBe(24 * 60);
    recipients.takeMailsAgain();
    await sink.waitFor(4);
    const twice = (subject: string) => [subject, subject];
    expect(recipients.subjects()).toEqual([
      ...twice('New login to your account'),
      ...twice('Your password was changed'),
    ]);
  });

  it('do not leave when a newer code has killed theirs', async () => {
    sink.refuseWith = 451;
    const email = await recipients.register();
    await recipients.putOff(email, 1);
    test.clock.advance(MINUTE + SECOND);
    await recipients.putOff(email, 1, 2);
    expect((await test.client().post('/auth/resend-otp', { email })).status).toBe(200);
    recipients.takeMailsAgain();
    await sink.waitFor(1);
    const mails = await test.database.collection('mails').find({ to: email }).sort({ created_at: 1 }).toArray();
    expect(mails.map(({ state }) => state)).toEqual(['superseded', expect.any(String)]);
    expect(sink.mails.length).toBe(1);
  });

  it('do not leave when a lockdown has killed their reset link; that of the lockdown leaves', async () => {
    const { email, client, token, refresh_token } = await recipients.user();
    sink.refuseWith = 451;
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await recipients.putOff(email, 1);
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await recipients.putOff(email, 1);
    recipients.takeMailsAgain();
    await sink.waitFor(1);
    const reset = await test.database.collection('mails').findOne({ to: email, kind: 'password-reset' });
    expect(reset).toMatchObject({ state: 'superseded', sealed: null });
    expect(recipients.subjects()).toEqual(['Your account was secured']);
  });

  it('are not tried again when a lockdown has killed their reset link while they were being sent', async () => {
    const { email, client, token, refresh_token } = await recipients.user();
    const postponed = async () =>
      seriesOf((await client.get('/metrics')).text)['mail_attempts_total{outcome="postponed"}'] ?? 0;
    const postponedBefore = await postponed();
    sink.hangFor = email;
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await expect.poll(() => sink.hanging, { timeout: 5_000 }).toBe(1);
    sink.hangFor = null;
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await sink.waitFor(1);
    sink.refuseWith = 451;
    sink.answer();
    await expect.poll(postponed, { timeout: 5_000 }).toBe(postponedBefore + 1);
    recipients.takeMailsAgain();
    await recipients.register();
    await sink.waitFor(2);
    const reset = await test.database.collection('mails').findOne({ to: email, kind: 'password-reset' });
    expect(reset).toMatchObject({ state: 'superseded', sealed: null });
    expect(recipients.subjects()).toEqual(['Your account was secured', 'Your confirmation code']);
  });

  it('tell of a lockdown though a newer reset link has killed theirs', async () => {
    const { email, client, token, refresh_token } = await recipients.user();
    sink.refuseWith = 451;
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await recipients.putOff(email, 1);
    test.clock.advance(MINUTE + SECOND);
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await recipients.putOff(email, 2);
    recipients.takeMailsAgain();
    await sink.waitFor(2);
    expect(recipients.subjects()).toEqual(['Reset your password', 'Your account was secured']);
  });
});
