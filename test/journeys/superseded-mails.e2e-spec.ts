import { describe, expect, it } from 'vitest';
import { MailSuite } from '../support/mail-suite.js';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { seriesOf } from '../support/series.js';
import { API_KEY } from '../support/test-app.js';
import { FIREFOX, IPHONE } from '../support/user-agents.js';

describe('Mails that wait', () => {
  const suite = new MailSuite();

  it('wait each for itself when they tell what happened: the owner hears of every login and every change', async () => {
    const { email, client, logIn, token } = await suite.user();
    suite.sink.refusing = { at: 'mail', status: 451 };
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
    await suite.putOff(email, 4);
    for (const { created_at, expires_at } of await suite.test.database
      .collection('mails')
      .find({ to: email, state: 'waiting' })
      .toArray())
      expect(Math.round((expires_at - created_at) / MINUTE), 'they are news for a day').toBe(24 * 60);
    suite.takeMailsAgain();
    await suite.sink.waitFor(4);
    const twice = (subject: string) => [subject, subject];
    expect(suite.subjects()).toEqual([...twice('New login to your account'), ...twice('Your password was changed')]);
  });

  it('do not leave when a newer code has killed theirs', async () => {
    suite.sink.refusing = { at: 'mail', status: 451 };
    const email = await suite.register();
    await suite.putOff(email, 1);
    suite.test.clock.advance(MINUTE + SECOND);
    await suite.putOff(email, 1, 2);
    expect((await suite.test.client().post('/auth/resend-otp', { email })).status).toBe(200);
    suite.takeMailsAgain();
    await suite.sink.waitFor(1);
    const mails = await suite.test.database.collection('mails').find({ to: email }).sort({ created_at: 1 }).toArray();
    expect(mails.map(({ state }) => state)).toEqual(['superseded', expect.any(String)]);
    expect(suite.sink.mails.length).toBe(1);
  });

  it('do not leave when a change of the password has killed their reset link; its notice leaves', async () => {
    const { email, client, token } = await suite.user();
    suite.sink.refusing = { at: 'mail', status: 451 };
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await suite.putOff(email, 1);
    const [current_password, password] = [PASSWORD, 'Brand-new2$'];
    const change = { current_password, password, password_confirmation: password };
    const { status } = await client.post('/api/profile/password', change, { apiKey: API_KEY, bearer: token });
    expect(status).toBe(200);
    await suite.putOff(email, 1);
    suite.takeMailsAgain();
    await suite.sink.waitFor(1);
    const reset = await suite.test.database.collection('mails').findOne({ to: email, kind: 'password-reset' });
    expect(reset).toMatchObject({ state: 'superseded', sealed: null });
    expect(suite.subjects()).toEqual(['Your password was changed']);
  });

  it('do not leave when a lockdown has killed their reset link; that of the lockdown leaves', async () => {
    const { email, client, token, refresh_token } = await suite.user();
    suite.sink.refusing = { at: 'mail', status: 451 };
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await suite.putOff(email, 1);
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await suite.putOff(email, 1);
    suite.takeMailsAgain();
    await suite.sink.waitFor(1);
    const reset = await suite.test.database.collection('mails').findOne({ to: email, kind: 'password-reset' });
    expect(reset).toMatchObject({ state: 'superseded', sealed: null });
    expect(suite.subjects()).toEqual(['Your account was secured']);
  });

  it('are not tried again when a lockdown has killed their reset link while they were being sent', async () => {
    const { email, client, token, refresh_token } = await suite.user();
    const postponed = async () =>
      seriesOf((await client.get('/metrics')).text)['mail_attempts_total{outcome="postponed"}'] ?? 0;
    const postponedBefore = await postponed();
    suite.sink.hangFor = email;
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await expect.poll(() => suite.sink.hanging, { timeout: 5_000 }).toBe(1);
    suite.sink.hangFor = null;
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await suite.sink.waitFor(1);
    suite.sink.refusing = { at: 'mail', status: 451 };
    suite.sink.answer();
    await expect.poll(postponed, { timeout: 5_000 }).toBe(postponedBefore + 1);
    suite.takeMailsAgain();
    await suite.register();
    await suite.sink.waitFor(2);
    const reset = await suite.test.database.collection('mails').findOne({ to: email, kind: 'password-reset' });
    expect(reset).toMatchObject({ state: 'superseded', sealed: null });
    expect(suite.subjects()).toEqual(['Your account was secured', 'Your confirmation code']);
  });

  it('tell of a lockdown though a newer reset link has killed theirs', async () => {
    const { email, client, token, refresh_token } = await suite.user();
    suite.sink.refusing = { at: 'mail', status: 451 };
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await suite.putOff(email, 1);
    suite.test.clock.advance(MINUTE + SECOND);
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await suite.putOff(email, 2);
    suite.takeMailsAgain();
    await suite.sink.waitFor(2);
    expect(suite.subjects()).toEqual(['Reset your password', 'Your account was secured']);
  });
});
