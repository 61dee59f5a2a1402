import { connect } from 'node:net';
import type { Document } from 'mongodb';
import { createConnection } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type EmbeddedMongodb,
  startEmbeddedMongodb,
} from '../../src/infrastructure/database/embedded-mongodb/index.js';
import { FrameReader, parseRequest } from '../../src/infrastructure/database/embedded-mongodb/wire/message.js';
import { MailsRepository } from '../../src/mail/index.js';
import { MailWorker } from '../../src/mail/outbox/mail-worker.js';
import { LEASE_MS, type LeasedMail } from '../../src/mail/outbox/mails.repository.js';
import { ManualClock, MINUTE, SECOND } from '../support/manual-clock.js';
import { newRegistration } from '../support/personas.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

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

  it('leave once, though the clock is set forward while their server hesitates', async () => {
    const clock = new ManualClock();
    const test = await start(clock);
    const email = await hangingMail(test);
    clock.advance(LEASE_MS + SECOND);
    // Whoever sends these looks for more.
    for (const count of [1, 2]) {
      await test.client().post('/auth/register', newRegistration());
      await sink.waitFor(count);
    }
    expect(sink.hanging).toBe(1);
    sink.answer();
    await expect.poll(() => stored(test, email)).toMatchObject({ state: 'sent', attempts: 1 });
    expect(sink.mails.length).toBe(3);
    await test.close();
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
    // Nor does the worker look, every two seconds, which have expired.
    Object.assign(test.app.get(MailWorker, { strict: false }), { dropExpired: () => Promise.resolve() });
    const startMs = clock.nowMs();
    const elapse = (ms: number) => clock.advance(startMs + ms - clock.nowMs());
    const post = (to: string) => {
      const expiresAt = new Date(clock.nowMs() + 10 * MINUTE);
      return mails.insert({ kind: 'email-verification', to, sealed: 'sealed', expiresAt, isDecoy: false });
    };
    const leases = new Map<string, LeasedMail>();
    const takeAll = async () => {
      const taken: string[] = [];
      expect(await mails.isAnyDue()).toBe(true);
      for (let mail = await mails.leaseNext(); mail; mail = await mails.leaseNext()) {
        taken.push(mail.to);
        leases.set(mail.to, mail);
      }
      expect(await mails.isAnyDue()).toBe(false);
      return taken;
    };

    await post('a');
    expect(await takeAll()).toEqual(['a']);
    await mails.retryAt(leases.get('a') as LeasedMail, new Date(startMs + 10 * SECOND), 'busy');
    elapse(5 * SECOND);
    expect(await mails.isAnyDue()).toBe(false);
    await post('b');
    elapse(10 * SECOND);
    expect(await takeAll()).toEqual(['b', 'a']);
    elapse(25 * SECOND - 1);
    expect(await mails.isAnyDue()).toBe(false);
    await mails.renewLease(leases.get('b') as LeasedMail);
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
    const left = (await mails.leaseNext()) as LeasedMail;
    expect(left.to).toBe('left');
    await mails.markSent(left.id);
    const sent = await stored(test, 'left');
    await mails.renewLease(left);
    await mails.retryAt(left, test.clock.now(), 'too late');
    expect(await stored(test, 'left')).toEqual(sent);
    expect((await mails.listUnsent(1)).map(({ to }) => to)).toEqual(['first']);
    expect((await mails.listUnsent(5)).map(({ to }) => to)).toEqual(['first', 'second']);

    const first = (await mails.leaseNext()) as LeasedMail;
    test.clock.advance(LEASE_MS);
    const next = [await mails.leaseNext(), await mails.leaseNext()].map((lease) => lease?.to);
    expect(next, 'whoever had it counts as dead').toEqual(['second', first.to]);
    const taken = await stored(test, first.to);
    await mails.renewLease(first);
    await mails.retryAt(first, test.clock.now(), 'too late');
    await mails.markFailed(first, 'too late');
    expect(await stored(test, first.to), 'another worker is sending it').toEqual(taken);
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
