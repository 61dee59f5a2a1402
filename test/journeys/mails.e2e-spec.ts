import type { Document } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MailOutbox, MailsRepository } from '../../src/mail/index.js';
import { MailSuite } from '../support/mail-suite.js';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { newRegistration } from '../support/personas.js';
import type { SunkMail } from '../support/smtp-sink.js';
import { startTestApp } from '../support/test-app.js';
import { FIREFOX } from '../support/user-agents.js';

describe('Mails over SMTP', () => {
  const suite = new MailSuite();

  const decoded = ({ source }: SunkMail) =>
    source
      .replaceAll('=\r\n', '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

  it('leave to one recipient, with a text and an HTML part', async () => {
    const email = await suite.register();
    const [mail] = (await suite.sink.waitFor(1)) as [SunkMail];
    expect(mail.from).toBe('no-reply@app.example');
    expect(mail.recipients).toEqual([email]);
    expect(mail.source).toContain('From: Acme <no-reply@app.example>');
    expect(mail.source).toContain('Subject: Your confirmation code');
    expect(mail.source).toContain('Content-Type: text/plain');
    expect(mail.source).toContain('Content-Type: text/html');
    expect(mail.source).toContain('Auto-Submitted: auto-generated');
    expect(decoded(mail)).toMatch(/\b\d{6}\b/);
    expect(decoded(mail).match(/was used at\s+Acme\. It was/g), 'in both parts').toHaveLength(2);
    expect(decoded(mail), 'a screen reader is told what it reads').toContain('aria-label="Your confirmation code"');
    const sent = await suite.stateOf(email, 'sent');
    expect(sent).toMatchObject({ attempts: 1, sealed: null });
    // Should it leave twice, mailboxes can tell by it.
    expect(mail.source).toContain(`Message-ID: <${String(sent._id)}@app.example>`);
    expect((sent.purge_at - sent.expires_at) / MINUTE, 'it is listed for a week').toBe(7 * 24 * 60);
  });

  it('say nothing that a user typed', async () => {
    await suite.register({ first_name: 'WIN http://evil.example/x', last_name: '<script>alert(1)</script>' });
    const [mail] = (await suite.sink.waitFor(1)) as [SunkMail];
    expect(decoded(mail)).not.toMatch(/evil\.example|<script|WIN/);
  });

  it('use few connections for many mails', async () => {
    const before = suite.sink.connections;
    await Promise.all(Array.from({ length: 20 }, () => suite.register()));
    await suite.sink.waitFor(20);
    expect(suite.sink.connections - before).toBeLessThanOrEqual(5);
    expect(new Set(suite.sink.mails.flatMap(({ recipients }) => recipients)).size).toBe(20);
  });

  it('wait while the mail server is down, and slow nothing down', async () => {
    await suite.sink.stop();
    const started = Date.now();
    const email = await suite.register();
    expect(Date.now() - started).toBeLessThan(2_000);
    const waiting = await suite.refusedOnce(email);
    expect(JSON.stringify(waiting)).not.toMatch(/"\d{6}"/);
    await suite.sink.resume();
    suite.test.clock.advance(MINUTE);
    await suite.sink.waitFor(1);
    expect(await suite.stateOf(email, 'sent')).toBeTruthy();
    expect(suite.sink.mails.length).toBe(1);
  });

  it('are left to a newer release if they are of a kind that it alone knows, and hold nothing up', async () => {
    const later = await suite.register();
    await suite.sink.waitFor(1);
    const mails = suite.test.database.collection('mails');
    onTestFinished(() => void mails.deleteMany({ kind: 'of-tomorrow' }));
    const { _id, ...sent } = (await mails.findOne({ to: later })) as Document;
    const now = new Date(suite.test.clock.nowMs());
    const waiting = { ...sent, kind: 'of-tomorrow', sealed: 'x', attempts: 0, next_attempt_at: now };
    await mails.insertMany([
      { ...waiting, state: 'waiting' },
      { ...waiting, state: 'sending', leased_until: now },
    ]);
    suite.test.clock.advance(MINUTE);
    await suite.register();
    await suite.sink.waitFor(2);
    const untouched = await mails.countDocuments({ kind: 'of-tomorrow', attempts: 0, last_error: { $exists: false } });
    expect(untouched).toBe(2);
  });

  it('are tried again after a passing refusal: in two seconds, later in twice as many each time, and in two minutes at most', async () => {
    const pausedFor = async (to: string, pauseMs: number, sinceMs: number) => {
      const refusedMs = (await suite.stored(to))?.next_attempt_at.getTime() - pauseMs;
      expect(refusedMs).toBeGreaterThanOrEqual(sinceMs);
      expect(refusedMs).toBeLessThanOrEqual(suite.test.clock.nowMs());
    };
    suite.sink.refusing = { at: 'mail', status: 451 };
    const postedMs = suite.test.clock.nowMs();
    const email = await suite.register();
    for (const [attempt, pauseMs] of [
      [1, 2 * SECOND],
      [2, 4 * SECOND],
      [11, 2 * MINUTE],
    ] as const) {
      await suite.test.database.collection('mails').updateOne({ to: email }, { $max: { attempts: attempt - 1 } });
      suite.test.clock.advance(attempt === 1 ? 0 : MINUTE);
      await suite.putOff(email, 1, attempt);
      await pausedFor(email, pauseMs, postedMs);
    }
    suite.takeMailsAgain();
    await suite.sink.waitFor(1);
    expect((await suite.stateOf(email, 'sent')).attempts).toBeGreaterThan(1);
  });

  it('are given up after a lasting refusal, and when their code has expired', async () => {
    suite.sink.refusing = { at: 'recipient', status: 550 };
    const refused = await suite.register();
    expect(await suite.stateOf(refused, 'failed')).toMatchObject({ sealed: null, attempts: 1 });
    suite.sink.refusing = null;

    suite.sink.refusing = { at: 'mail', status: 451 };
    const late = await suite.register();
    await suite.refusedOnce(late);
    const listed = (await suite.test.app.get(MailsRepository).listUnsent(100)).filter(({ to }) =>
      [refused, late].includes(to),
    );
    expect(listed.map(({ to }) => to)).toEqual([late, refused]);
    suite.sink.refusing = null;
    suite.test.clock.advance(11 * MINUTE);
    expect(await suite.stateOf(late, 'expired')).toMatchObject({ sealed: null });
    expect(suite.sink.mails).toEqual([]);
  });

  it('say how long their code is still good when they are sent, not when they were written', async () => {
    suite.sink.refusing = { at: 'mail', status: 451 };
    const email = await suite.register();
    await suite.refusedOnce(email);
    suite.sink.refusing = null;
    suite.test.clock.advance(7 * MINUTE);
    await suite.stateOf(email, 'sent');
    expect(suite.sink.mails.at(-1)?.source).toContain('for 3 minutes');
    expect(suite.sink.mails.at(-1)?.source).not.toContain('10 minutes');
  });

  it('fail no login when they cannot be stored', async () => {
    const { email, logIn } = await suite.user();
    const outbox = suite.test.app.get(MailOutbox, { strict: false });
    const post = outbox.post.bind(outbox);
    outbox.post = () => Promise.reject(new Error('the database is full'));
    await logIn(FIREFOX);
    outbox.post = post;
    const notices = () => suite.test.database.collection('mails').countDocuments({ to: email, kind: 'new-device' });
    expect(await notices()).toBe(0);
    await logIn(FIREFOX);
    expect(await notices(), 'a device that was not announced is not known').toBe(1);
    await suite.sink.waitFor(1);
  });

  it('do not wait for a recipient whose mail server hangs', async () => {
    const slow = newRegistration();
    suite.sink.hangFor = slow.email;
    expect((await suite.test.client().post('/auth/register', slow)).status).toBe(201);
    const others = await Promise.all(Array.from({ length: 6 }, () => suite.register()));
    await suite.sink.waitFor(6);
    expect(suite.sink.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(others.sort());
    expect((await suite.stored(slow.email))?.state).toBe('sending');
    suite.sink.hangFor = null;
  });

  it('leave though every lane of the worker has stumbled', async () => {
    const mails = suite.test.app.get(MailsRepository);
    const leaseNext = mails.leaseNext.bind(mails);
    let stumbles = 0;
    mails.leaseNext = () => {
      stumbles += 1;
      return stumbles > 4 ? leaseNext() : Promise.reject(new Error('a fault of ours'));
    };
    await suite.register();
    await suite.sink.waitFor(1);
    expect(stumbles).toBeGreaterThan(4);
    mails.leaseNext = leaseNext;
  });

  it('leave once, however many instances send', async () => {
    const second = await startTestApp({
      beside: suite.test,
      env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(suite.sink.port) },
    });
    try {
      const emails = await Promise.all(Array.from({ length: 30 }, () => suite.register()));
      await suite.sink.waitFor(30);
      for (const email of emails) await suite.stateOf(email, 'sent');
      expect(suite.sink.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(emails.sort());
    } finally {
      await second.close();
    }
  });
});
