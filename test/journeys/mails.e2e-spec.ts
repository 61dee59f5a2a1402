import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MailOutbox, MailsRepository } from '../../src/mail/index.js';
import { MailRecipients } from '../support/mail-recipients.js';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { newRegistration } from '../support/personas.js';
import { SmtpSink, type SunkMail } from '../support/smtp-sink.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX } from '../support/user-agents.js';

describe('Mails over SMTP', () => {
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

  const decoded = ({ source }: SunkMail) =>
    source
      .replaceAll('=\r\n', '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

  it('leave to one recipient, with a text and an HTML part', async () => {
    const email = await recipients.register();
    const [mail] = (await sink.waitFor(1)) as [SunkMail];
    expect(mail.from).toBe('no-reply@app.example');
    expect(mail.recipients).toEqual([email]);
    expect(mail.source).toContain('From: Accounts <no-reply@app.example>');
    expect(mail.source).toContain('Subject: Your confirmation code');
    expect(mail.source).toContain('Content-Type: text/plain');
    expect(mail.source).toContain('Content-Type: text/html');
    expect(mail.source).toContain('Auto-Submitted: auto-generated');
    expect(decoded(mail)).toMatch(/\b\d{6}\b/);
    const sent = await recipients.stateOf(email, 'sent');
    expect(sent).toMatchObject({ attempts: 1, sealed: null });
    // Should it leave twice, mailboxes can tell by it.
    expect(mail.source).toContain(`Message-ID: <${String(sent._id)}@account-service>`);
    expect((sent.purge_at - sent.expires_at) / MINUTE, 'it is listed for a week').toBe(7 * 24 * 60);
  });

  it('say nothing that a user typed', async () => {
    await recipients.register({ first_name: 'WIN http://evil.example/x', last_name: '<script>alert(1)</script>' });
    const [mail] = (await sink.waitFor(1)) as [SunkMail];
    expect(decoded(mail)).not.toMatch(/evil\.example|<script|WIN/);
  });

  it('use few connections for many mails', async () => {
    const before = sink.connections;
    await Promise.all(Array.from({ length: 20 }, () => recipients.register()));
    await sink.waitFor(20);
    expect(sink.connections - before).toBeLessThanOrEqual(5);
    expect(new Set(sink.mails.flatMap(({ recipients }) => recipients)).size).toBe(20);
  });

  it('wait while the mail server is down, and slow nothing down', async () => {
    await sink.stop();
    const started = Date.now();
    const email = await recipients.register();
    expect(Date.now() - started).toBeLessThan(2_000);
    const waiting = await recipients.refusedOnce(email);
    expect(JSON.stringify(waiting)).not.toMatch(/"\d{6}"/);
    await sink.resume();
    test.clock.advance(MINUTE);
    await sink.waitFor(1);
    expect(await recipients.stateOf(email, 'sent')).toBeTruthy();
    expect(sink.mails.length).toBe(1);
  });

  it('are tried again after a passing refusal: in two seconds, later in twice as many each time, and in two minutes at most', async () => {
    const pausedFor = async (to: string, pauseMs: number, sinceMs: number) => {
      const refusedMs = (await recipients.stored(to))?.next_attempt_at.getTime() - pauseMs;
      expect(refusedMs).toBeGreaterThanOrEqual(sinceMs);
      expect(refusedMs).toBeLessThanOrEqual(test.clock.nowMs());
    };
    sink.refuseWith = 451;
    const postedMs = test.clock.nowMs();
    const email = await recipients.register();
    for (const [attempt, pauseMs] of [
      [1, 2 * SECOND],
      [2, 4 * SECOND],
      [11, 2 * MINUTE],
    ] as const) {
      await test.database.collection('mails').updateOne({ to: email }, { $max: { attempts: attempt - 1 } });
      test.clock.advance(attempt === 1 ? 0 : MINUTE);
      await recipients.putOff(email, 1, attempt);
      await pausedFor(email, pauseMs, postedMs);
    }
    recipients.takeMailsAgain();
    await sink.waitFor(1);
    expect((await recipients.stateOf(email, 'sent')).attempts).toBeGreaterThan(1);
  });

  it('are given up after a lasting refusal, and when their code has expired', async () => {
    sink.refuseWith = 550;
    const refused = await recipients.register();
    expect(await recipients.stateOf(refused, 'failed')).toMatchObject({ sealed: null, attempts: 1 });

    sink.refuseWith = 451;
    const late = await recipients.register();
    await recipients.refusedOnce(late);
    const listed = (await test.app.get(MailsRepository).listUnsent(100)).filter(({ to }) =>
      [refused, late].includes(to),
    );
    expect(listed.map(({ to }) => to)).toEqual([late, refused]);
    sink.refuseWith = null;
    test.clock.advance(11 * MINUTE);
    expect(await recipients.stateOf(late, 'expired')).toMatchObject({ sealed: null });
    expect(sink.mails).toEqual([]);
  });

  it('say how long their code is still good when they are sent, not when they were written', async () => {
    sink.refuseWith = 451;
    const email = await recipients.register();
    await recipients.refusedOnce(email);
    sink.refuseWith = null;
    test.clock.advance(7 * MINUTE);
    await recipients.stateOf(email, 'sent');
    expect(sink.mails.at(-1)?.source).toContain('for 3 minutes');
    expect(sink.mails.at(-1)?.source).not.toContain('10 minutes');
  });

  it('fail no login when they cannot be stored', async () => {
    const { email, logIn } = await recipients.user();
    const outbox = test.app.get(MailOutbox, { strict: false });
    const post = outbox.post.bind(outbox);
    outbox.post = () => Promise.reject(new Error('the database is full'));
    await logIn(FIREFOX);
    outbox.post = post;
    const notices = () => test.database.collection('mails').countDocuments({ to: email, kind: 'new-device' });
    expect(await notices()).toBe(0);
    await logIn(FIREFOX);
    expect(await notices(), 'a device that was not announced is not known').toBe(1);
    await sink.waitFor(1);
  });

  it('do not wait for a recipient whose mail server hangs', async () => {
    const slow = newRegistration();
    sink.hangFor = slow.email;
    expect((await test.client().post('/auth/register', slow)).status).toBe(201);
    const others = await Promise.all(Array.from({ length: 6 }, () => recipients.register()));
    await sink.waitFor(6);
    expect(sink.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(others.sort());
    expect((await recipients.stored(slow.email))?.state).toBe('sending');
    sink.hangFor = null;
  });

  it('leave though every lane of the worker has stumbled', async () => {
    const mails = test.app.get(MailsRepository);
    const leaseNext = mails.leaseNext.bind(mails);
    let stumbles = 0;
    mails.leaseNext = () => {
      stumbles += 1;
      return stumbles > 4 ? leaseNext() : Promise.reject(new Error('a fault of ours'));
    };
    await recipients.register();
    await sink.waitFor(1);
    expect(stumbles).toBeGreaterThan(4);
    mails.leaseNext = leaseNext;
  });

  it('leave once, however many instances send', async () => {
    const second = await startTestApp({
      beside: test,
      env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(sink.port) },
    });
    try {
      const emails = await Promise.all(Array.from({ length: 30 }, () => recipients.register()));
      await sink.waitFor(30);
      for (const email of emails) await recipients.stateOf(email, 'sent');
      expect(sink.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(emails.sort());
    } finally {
      await second.close();
    }
  });
});
