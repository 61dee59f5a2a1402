import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { createConnection } from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { FrameReader, parseRequest } from '../../src/infrastructure/database/embedded-mongodb/wire/message.js';
import { MailOutbox, MailsRepository } from '../../src/mail/index.js';
import { ManualClock, MINUTE, SECOND } from '../support/manual-clock.js';
import { newRegistration, PASSWORD, type Tokens } from '../support/personas.js';
import { seriesOf } from '../support/series.js';
import { SmtpSink, type SunkMail } from '../support/smtp-sink.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

describe('Mails over SMTP', () => {
  let sink: SmtpSink;
  let test: TestApp;
  beforeAll(async () => {
    sink = await SmtpSink.start();
    test = await startTestApp({
      env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(sink.port), SMTP_FROM: 'Accounts <no-reply@app.example>' },
    });
  });
  afterEach(() => {
    sink.refuseWith = null;
    sink.mails.length = 0;
  });
  afterAll(async () => {
    await test.close();
    await sink.stop();
  });

  const register = async (overrides = {}) => {
    const registration = newRegistration(overrides);
    const { status } = await test.client().post('/auth/register', registration);
    expect(status).toBe(201);
    return registration.email;
  };
  const stored = (to: string) => test.database.collection('mails').findOne({ to });
  const stateOf = async (to: string, state: string) => {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const mail = await stored(to);
      if (mail?.state === state) return mail;
      await pause(10);
    }
    throw new Error(`The mail to ${to} never became ${state}`);
  };
  const refusedOnce = async (to: string) => {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const mail = await stored(to);
      if (mail?.state === 'waiting' && mail.last_error) return mail;
      await pause(10);
    }
    throw new Error(`The mail to ${to} was never refused`);
  };
  const decoded = ({ source }: SunkMail) =>
    source
      .replaceAll('=\r\n', '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

  const subjects = () => sink.mails.map(({ source }) => /^Subject: (.+)\r$/m.exec(source)?.[1]).sort();
  /** Until so many mails to somebody have been refused, so often, and wait. */
  const putOff = (to: string, count: number, attempts = 1) => {
    const waiting = { to, state: 'waiting', last_error: { $exists: true }, attempts: { $gte: attempts } };
    return expect.poll(() => test.database.collection('mails').countDocuments(waiting), { timeout: 5_000 }).toBe(count);
  };
  const takeMailsAgain = () => {
    sink.refuseWith = null;
    test.clock.advance(2 * MINUTE);
  };
  /** Somebody who has logged in, and can do so again from elsewhere. */
  const user = async () => {
    const registration = newRegistration();
    const { email, username } = registration;
    const client = test.client();
    await client.post('/auth/register', registration);
    const [mail] = (await sink.waitFor(1)) as [SunkMail];
    const otp = /^ {4}(\d{6})\r$/m.exec(mail.source)?.[1];
    expect((await client.post('/auth/verify-otp', { email, otp })).status).toBe(200);
    const logIn = async (device: string) => {
      const headers = { 'user-agent': device };
      const { status, body } = await test
        .client()
        .post('/auth/login', { login: username, password: PASSWORD }, { headers });
      expect(status).toBe(200);
      return body.data as Tokens;
    };
    const tokens = await logIn('first');
    sink.mails.length = 0;
    return { email, client, logIn, ...tokens };
  };

  it('leave to one recipient, with a text and an HTML part', async () => {
    const email = await register();
    const [mail] = (await sink.waitFor(1)) as [SunkMail];
    expect(mail.from).toBe('no-reply@app.example');
    expect(mail.recipients).toEqual([email]);
    expect(mail.source).toContain('From: Accounts <no-reply@app.example>');
    expect(mail.source).toContain('Subject: Your confirmation code');
    expect(mail.source).toContain('Content-Type: text/plain');
    expect(mail.source).toContain('Content-Type: text/html');
    expect(mail.source).toContain('Auto-Submitted: auto-generated');
    expect(decoded(mail)).toMatch(/\b\d{6}\b/);
    const sent = await stateOf(email, 'sent');
    expect(sent).toMatchObject({ attempts: 1, sealed: null });
    // Should it leave twice, mailboxes can tell by it.
    expect(mail.source).toContain(`Message-ID: <${String(sent._id)}@account-service>`);
    expect((sent.purge_at - sent.expires_at) / MINUTE, 'it is listed for a week').toBe(7 * 24 * 60);
  });

  it('say nothing that a user typed', async () => {
    await register({ first_name: 'WIN http://evil.example/x', last_name: '<script>alert(1)</script>' });
    const [mail] = (await sink.waitFor(1)) as [SunkMail];
    expect(decoded(mail)).not.toMatch(/evil\.example|<script|WIN/);
  });

  it('use few connections for many mails', async () => {
    const before = sink.connections;
    await Promise.all(Array.from({ length: 20 }, () => register()));
    await sink.waitFor(20);
    expect(sink.connections - before).toBeLessThanOrEqual(5);
    expect(new Set(sink.mails.flatMap(({ recipients }) => recipients)).size).toBe(20);
  });

  it('wait while the mail server is down, and slow nothing down', async () => {
    await sink.stop();
    const started = Date.now();
    const email = await register();
    expect(Date.now() - started).toBeLessThan(2_000);
    const waiting = await refusedOnce(email);
    expect(JSON.stringify(waiting)).not.toMatch(/"\d{6}"/);
    await sink.resume();
    test.clock.advance(MINUTE);
    await sink.waitFor(1);
    expect(await stateOf(email, 'sent')).toBeTruthy();
    expect(sink.mails.length).toBe(1);
  });

  it('are tried again after a passing refusal: in two seconds, later in twice as many each time, and in two minutes at most', async () => {
    const pausedFor = async (to: string, pauseMs: number, sinceMs: number) => {
      const refusedMs = (await stored(to))?.next_attempt_at.getTime() - pauseMs;
      expect(refusedMs).toBeGreaterThanOrEqual(sinceMs);
      expect(refusedMs).toBeLessThanOrEqual(test.clock.nowMs());
    };
    sink.refuseWith = 451;
    const postedMs = test.clock.nowMs();
    const email = await register();
    for (const [attempt, pauseMs] of [
      [1, 2 * SECOND],
      [2, 4 * SECOND],
      [11, 2 * MINUTE],
    ] as const) {
      await test.database.collection('mails').updateOne({ to: email }, { $max: { attempts: attempt - 1 } });
      test.clock.advance(attempt === 1 ? 0 : MINUTE);
      await putOff(email, 1, attempt);
      await pausedFor(email, pauseMs, postedMs);
    }
    takeMailsAgain();
    await sink.waitFor(1);
    expect((await stateOf(email, 'sent')).attempts).toBeGreaterThan(1);
  });

  it('are given up after a lasting refusal, and when their code has expired', async () => {
    sink.refuseWith = 550;
    const refused = await register();
    expect(await stateOf(refused, 'failed')).toMatchObject({ sealed: null, attempts: 1 });

    sink.refuseWith = 451;
    const late = await register();
    await refusedOnce(late);
    const listed = (await test.app.get(MailsRepository).listUnsent(100)).filter(({ to }) =>
      [refused, late].includes(to),
    );
    expect(listed.map(({ to }) => to)).toEqual([late, refused]);
    sink.refuseWith = null;
    test.clock.advance(11 * MINUTE);
    expect(await stateOf(late, 'expired')).toMatchObject({ sealed: null });
    expect(sink.mails).toEqual([]);
  });

  it('say how long their code is still good when they are sent, not when they were written', async () => {
    sink.refuseWith = 451;
    const email = await register();
    await refusedOnce(email);
    sink.refuseWith = null;
    test.clock.advance(7 * MINUTE);
    await stateOf(email, 'sent');
    expect(sink.mails.at(-1)?.source).toContain('for 3 minutes');
    expect(sink.mails.at(-1)?.source).not.toContain('10 minutes');
  });

  it('wait each for itself when they tell what happened: the owner hears of every login and every change', async () => {
    const { email, client, logIn, token } = await user();
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
    await putOff(email, 4);
    for (const { created_at, expires_at } of await test.database
      .collection('mails')
      .find({ to: email, state: 'waiting' })
      .toArray())
      expect(Math.round((expires_at - created_at) / MINUTE), 'they are news for a day').toBe(24 * 60);
    takeMailsAgain();
    await sink.waitFor(4);
    const twice = (subject: string) => [subject, subject];
    expect(subjects()).toEqual([...twice('New login to your account'), ...twice('Your password was changed')]);
  });

  it('fail no login when they cannot be stored', async () => {
    const { email, logIn } = await user();
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

  it('do not leave when a newer code has killed theirs', async () => {
    sink.refuseWith = 451;
    const email = await register();
    await putOff(email, 1);
    test.clock.advance(MINUTE + SECOND);
    await putOff(email, 1, 2);
    expect((await test.client().post('/auth/resend-otp', { email })).status).toBe(200);
    takeMailsAgain();
    await sink.waitFor(1);
    const mails = await test.database.collection('mails').find({ to: email }).sort({ created_at: 1 }).toArray();
    expect(mails.map(({ state }) => state)).toEqual(['superseded', expect.any(String)]);
    expect(sink.mails.length).toBe(1);
  });

  it('do not leave when a lockdown has killed their reset link; that of the lockdown leaves', async () => {
    const { email, client, token, refresh_token } = await user();
    sink.refuseWith = 451;
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await putOff(email, 1);
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await putOff(email, 1);
    takeMailsAgain();
    await sink.waitFor(1);
    const reset = await test.database.collection('mails').findOne({ to: email, kind: 'password-reset' });
    expect(reset).toMatchObject({ state: 'superseded', sealed: null });
    expect(subjects()).toEqual(['Your account was secured']);
  });

  it('are not tried again when a lockdown has killed their reset link while they were being sent', async () => {
    const { email, client, token, refresh_token } = await user();
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
    takeMailsAgain();
    await register();
    await sink.waitFor(2);
    const reset = await test.database.collection('mails').findOne({ to: email, kind: 'password-reset' });
    expect(reset).toMatchObject({ state: 'superseded', sealed: null });
    expect(subjects()).toEqual(['Your account was secured', 'Your confirmation code']);
  });

  it('tell of a lockdown though a newer reset link has killed theirs', async () => {
    const { email, client, token, refresh_token } = await user();
    sink.refuseWith = 451;
    expect((await client.post('/auth/its-not-me', { refresh_token }, { bearer: token })).status).toBe(200);
    await putOff(email, 1);
    test.clock.advance(MINUTE + SECOND);
    expect((await client.post('/auth/forgot-password', { email })).status).toBe(200);
    await putOff(email, 2);
    takeMailsAgain();
    await sink.waitFor(2);
    expect(subjects()).toEqual(['Reset your password', 'Your account was secured']);
  });

  it('do not wait for a recipient whose mail server hangs', async () => {
    const slow = newRegistration();
    sink.hangFor = slow.email;
    expect((await test.client().post('/auth/register', slow)).status).toBe(201);
    const others = await Promise.all(Array.from({ length: 6 }, () => register()));
    await sink.waitFor(6);
    expect(sink.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(others.sort());
    expect((await stored(slow.email))?.state).toBe('sending');
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
    await register();
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
      const emails = await Promise.all(Array.from({ length: 30 }, () => register()));
      await sink.waitFor(30);
      for (const email of emails) await stateOf(email, 'sent');
      expect(sink.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(emails.sort());
    } finally {
      await second.close();
    }
  });
});

describe('Mails on their way', () => {
  let store: EmbeddedMongodb;
  let sink: SmtpSink;
  beforeEach(async () => {
    store = await startEmbeddedMongodb();
    sink = await SmtpSink.start();
  });
  afterEach(async () => {
    await sink.stop();
    await store.close();
  });

  const start = (clock?: ManualClock, databaseUri = store.uri, env = {}) =>
    startTestApp({
      clock,
      env: { MONGODB_URI: databaseUri, SMTP_HOST: '127.0.0.1', SMTP_PORT: String(sink.port), ...env },
    });
  /** @returns the recipient of a mail that the mail server has been handed and does not answer */
  const hangingMail = async (test: TestApp) => {
    const registration = newRegistration();
    sink.hangFor = registration.email;
    expect((await test.client().post('/auth/register', registration)).status).toBe(201);
    await expect.poll(() => sink.hanging, { timeout: 5_000 }).toBe(1);
    return registration.email;
  };
  const isListening = ({ url }: TestApp) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
  const stored = ({ database }: TestApp, to: string) => database.collection('mails').findOne({ to });

  it('keep no service from stopping when their server hangs: its port closes at once, and the next instance sends them', async () => {
    const first = await start();
    const email = await hangingMail(first);
    const stopping = Date.now();
    const stopped = first.close();
    await expect.poll(() => isListening(first), { timeout: 2_000 }).toBe(false);
    await stopped;
    expect(Date.now() - stopping).toBeLessThan(6_000);

    sink.hangFor = null;
    const clock = new ManualClock();
    clock.advance(MINUTE);
    const next = await start(clock);
    await sink.waitFor(1);
    await expect.poll(() => stored(next, email)).toMatchObject({ state: 'sent', attempts: 2 });
    await next.close();
  });

  it('are waited for by a service that stops when their server answers in a moment', async () => {
    const first = await start();
    const email = await hangingMail(first);
    const stopped = first.close();
    await expect.poll(() => isListening(first), { timeout: 2_000 }).toBe(false);
    sink.answer();
    await stopped;

    const next = await start();
    expect(await stored(next, email)).toMatchObject({ state: 'sent', attempts: 1 });
    await next.close();
  });

  it('wait rather than tell a mail server without encryption the password', async () => {
    const test = await start(undefined, store.uri, { SMTP_USER: 'accounts', SMTP_PASS: 'secret' });
    const { email } = (await test.personas.visitor()).registration;
    await expect.poll(() => stored(test, email), { timeout: 5_000 }).toMatchObject({ state: 'waiting', attempts: 1 });
    expect(sink.connections).toBe(1);
    expect(sink.logins).toEqual([]);
    expect(sink.mails).toEqual([]);
    await test.close();
  });

  it('are the instance’s that sends them for as long as that takes', async () => {
    const test = await start();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const email = await hangingMail(test);
      const leasedUntil = async () => (await stored(test, email))?.leased_until.getTime() as number;
      const before = await leasedUntil();
      test.clock.advance(10 * SECOND);
      vi.advanceTimersByTime(5 * SECOND);
      await expect.poll(leasedUntil, { timeout: 5_000 }).toBeGreaterThanOrEqual(before + 10 * SECOND);
      sink.answer();
      await expect.poll(() => vi.getTimerCount(), { timeout: 5_000 }).toBe(0);
    } finally {
      vi.useRealTimers();
      await test.close();
    }
  });

  it('are taken in the order in which they fall due, each by one, and none whose code has expired', async () => {
    const clock = new ManualClock();
    clock.freeze();
    // No mail server and no inbox: nobody else takes them.
    const test = await startTestApp({
      clock,
      env: { NODE_ENV: 'production', ALLOW_EMBEDDED: 'true', MONGODB_URI: store.uri },
    });
    const mails = test.app.get(MailsRepository);
    const startMs = clock.nowMs();
    const elapse = (ms: number) => clock.advance(startMs + ms - clock.nowMs());
    const post = (to: string) => {
      const expiresAt = new Date(clock.nowMs() + 10 * MINUTE);
      return mails.insert({ kind: 'email-verification', to, sealed: 'sealed', expiresAt, isDecoy: false });
    };
    const ids = new Map<string, string>();
    const takeAll = async () => {
      const taken: string[] = [];
      expect(await mails.isAnyDue()).toBe(true);
      for (let mail = await mails.leaseNext(); mail; mail = await mails.leaseNext()) {
        taken.push(mail.to);
        ids.set(mail.to, mail.id);
      }
      expect(await mails.isAnyDue()).toBe(false);
      return taken;
    };

    await post('a');
    expect(await takeAll()).toEqual(['a']);
    await mails.retryAt(ids.get('a') as string, new Date(startMs + 10 * SECOND), 'busy');
    elapse(5 * SECOND);
    expect(await mails.isAnyDue()).toBe(false);
    await post('b');
    elapse(10 * SECOND);
    expect(await takeAll()).toEqual(['b', 'a']);
    elapse(25 * SECOND - 1);
    expect(await mails.isAnyDue()).toBe(false);
    await mails.renewLease(ids.get('b') as string);
    elapse(25 * SECOND);
    expect(await takeAll(), 'whoever took it has died').toEqual(['a']);
    elapse(50 * SECOND);
    expect(await takeAll()).toEqual(['b', 'a']);
    await post('c');
    elapse(10 * MINUTE);
    expect(await takeAll()).toEqual(['c', 'b']);
    elapse(11 * MINUTE);
    expect(await mails.leaseNext()).toBeNull();
    expect(await mails.isAnyDue()).toBe(false);
    expect(await mails.expireOutdated()).toBe(3);
    expect(await mails.expireOutdated()).toBe(0);
    for (const to of ['a', 'b', 'c']) expect(await stored(test, to)).toMatchObject({ state: 'expired', sealed: null });
    await test.close();
  });

  it('that have left stay so, whatever a slow worker still says of them; as many are listed as are asked for', async () => {
    const test = await startTestApp({
      env: { NODE_ENV: 'production', ALLOW_EMBEDDED: 'true', MONGODB_URI: store.uri },
    });
    const mails = test.app.get(MailsRepository);
    const expiresAt = new Date(test.clock.nowMs() + 10 * MINUTE);
    for (const to of ['left', 'first', 'second'])
      await mails.insert({ kind: 'email-verification', to, sealed: 'sealed', expiresAt, isDecoy: false });
    const left = await mails.leaseNext();
    expect(left?.to).toBe('left');
    await mails.markSent(left?.id as string);
    const sent = await stored(test, 'left');
    await mails.renewLease(left?.id as string);
    await mails.retryAt(left?.id as string, test.clock.now(), 'too late');
    expect(await stored(test, 'left')).toEqual(sent);
    expect((await mails.listUnsent(1)).map(({ to }) => to)).toEqual(['first']);
    expect((await mails.listUnsent(5)).map(({ to }) => to)).toEqual(['first', 'second']);
    await test.close();
  });

  it('leave once, though the database fails over the note that they have left', async () => {
    const proxy = await TcpProxy.before(store.uri);
    let notes = 0;
    proxy.judge = (chunk) => {
      notes += requestsIn(chunk).filter(isNoteOfSending).length;
      return 'pass';
    };
    const test = await start(undefined, proxy.mongodbUri);
    const email = await hangingMail(test);
    await failUpdates('alwaysOn');
    sink.answer();
    await expect.poll(() => notes, { timeout: 5_000 }).toBeGreaterThan(0);
    await failUpdates('off');
    await expect.poll(() => stored(test, email), { timeout: 5_000 }).toMatchObject({ state: 'sent', attempts: 1 });
    expect(sink.mails.length).toBe(1);
    await test.close();
    await proxy.close();
  });

  const requestsIn = (chunk: Buffer) => new FrameReader().push(chunk).map((frame) => parseRequest(frame).command);
  const isNoteOfSending = ({ update, updates }: Document) => update === 'mails' && updates[0].u.$set?.state === 'sent';
  const failUpdates = async (mode: 'alwaysOn' | 'off') => {
    const control = await createConnection(store.uri).asPromise();
    const full = { failCommands: ['update'], errorCode: 14031 };
    await control.db?.admin().command({ configureFailPoint: 'failCommand', mode, data: full });
    await control.close();
  };
});
