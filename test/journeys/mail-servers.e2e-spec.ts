import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MINUTE, SECOND } from '../support/manual-clock.js';
import { newRegistration } from '../support/personas.js';
import { SmtpSink, type SmtpSinkOptions } from '../support/smtp-sink.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const CREDENTIALS = { SMTP_USER: 'accounts', SMTP_PASS: 'secret' };
const IMPLICIT_TLS_PORT = 465;
/** Somewhat longer than the worker's pause between two looks. */
const POLLED_WITHIN_MS = 700;

describe('A mail server', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    vi.useRealTimers();
    for (const close of closing.splice(0).reverse()) await close();
  });

  const startSink = async (options?: SmtpSinkOptions) => {
    const sink = await SmtpSink.start(options);
    closing.push(() => sink.stop());
    return sink;
  };
  /** A server that is none, or a bad one. */
  const listen = async (meet: (socket: Socket) => void) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      meet(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, sockets };
  };
  const serviceAt = async (port: number, env: Record<string, string> = {}, beside?: TestApp) => {
    const test = await startTestApp({ beside, env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), ...env } });
    closing.push(() => test.close());
    return test;
  };
  /** @returns the mail, as it is stored, to somebody who has just registered */
  const postMail = async ({ personas, database }: TestApp, overrides = {}) => {
    const { email } = (await personas.visitor(overrides)).registration;
    return () => database.collection('mails').findOne({ to: email });
  };
  const expectToWait = (stored: Awaited<ReturnType<typeof postMail>>, reason = /./) =>
    expect
      .poll(stored, { timeout: 5_000 })
      .toMatchObject({ state: 'waiting', last_error: expect.stringMatching(reason) });
  /** @returns the sockets that are opened from here on, by the port to which they lead */
  const watchSockets = () => {
    const sockets: Socket[] = [];
    const connecting = channel('net.client.socket');
    const remember = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
    connecting.subscribe(remember);
    closing.push(async () => void connecting.unsubscribe(remember));
    return (port: number) => sockets.filter(({ remotePort }) => remotePort === port);
  };
  /** A certificate that nobody has signed is believed from here on. Node warns of it. */
  const believeEverybody = () => {
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  };

  for (const [at, status, says] of [
    ['greeting', 554],
    ['login', 535],
    ['sender', 530],
    ['sender', 550],
    ['sender', 553],
    ['recipient', 550, '5.1.8 Sender address rejected: Domain not found'],
    ['recipient', 553, '5.7.1 Sender address rejected: not owned by user'],
    ['recipient', 550, '5.4.5 Daily user sending limit exceeded'],
    ['mail', 554, 'Message rejected: Email address is not verified'],
    ['mail', 550, 'The from address does not match a verified Sender Identity'],
    ['mail', 554, '5.2.252 SendAsDenied; not allowed to send as'],
    ['mail', 554, '5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException'],
    ['mail', 550, '5.1.0 Sender rejected'],
    ['recipient', 550, 'relay not permitted'],
    ['recipient', 503, 'AUTH command is required'],
    ['sender', 452, '4.3.1 Insufficient system storage'],
    ['mail', 554, '5.3.2 System not accepting messages'],
  ] as const) {
    it(`that refuses the service itself (${at}, ${status} ${says ?? ''}) loses no mail: they wait until that is mended`, async () => {
      const hasLogin = at === 'login';
      if (hasLogin) believeEverybody();
      const sink = await startSink({ encryption: hasLogin ? 'starttls' : 'none' });
      const test = await serviceAt(sink.port, hasLogin ? CREDENTIALS : {});
      sink.refusing = { at, status, says };
      const stored = await postMail(test);
      await expectToWait(stored);

      sink.refusing = null;
      test.clock.advance(MINUTE);
      await sink.waitFor(1);
      await expect.poll(stored, { timeout: 5_000 }).toMatchObject({ state: 'sent' });
    });
  }

  it('that refuses every command loses no mail, and of what it says a line is kept', async () => {
    const { port } = await listen((socket) => {
      socket.write('220 mail.example ESMTP\r\n');
      socket.on('data', () => socket.write(`550 ${'not for you '.repeat(50)}\r\n`));
    });
    await expectToWait(await postMail(await serviceAt(port, CREDENTIALS)), /^EHLO failed.{189}$/);
  });

  for (const [at, status, says] of [
    ['recipient', 550, '5.1.1 User unknown'],
    ['recipient', 556, '5.1.10 Recipient address has null MX'],
    ['recipient', 552, '5.2.2 Mailbox full'],
    ['mail', 550, '5.1.1 User unknown'],
    // The lowest status that says so, and nothing else.
    ['recipient', 550],
  ] as const) {
    it(`that refuses the recipient for good (${at}, ${status} ${says ?? ''}) is not handed the mail again`, async () => {
      const sink = await startSink();
      const test = await serviceAt(sink.port);
      sink.refusing = { at, status, says };
      const stored = await postMail(test);
      await expect.poll(stored, { timeout: 5_000 }).toMatchObject({ state: 'failed', sealed: null, attempts: 1 });
    });
  }

  it('that names the recipient does so to who asks for the account, not to the log', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const sink = await startSink();
    const test = await serviceAt(sink.port);
    const registration = newRegistration();
    for (const status of [450, 550]) {
      const says = `<${registration.email.toUpperCase()}>: unknown, see mailto:postmaster@mail.example`;
      sink.refusing = { at: 'recipient', status, says };
      const stored = await postMail(test, status === 450 ? registration : { email: `x${registration.email}` });
      await expect.poll(stored, { timeout: 5_000 }).toMatchObject({ last_error: expect.stringContaining(says) });
    }
    const logged = warn.mock.calls.flatMap(([line]) => ((line as { reason?: string }).reason ? [line] : []));
    expect(logged).toHaveLength(2);
    for (const line of logged)
      expect(line).toMatchObject({ reason: expect.stringContaining('<…@…>: unknown, see …@…') });
  });

  it('that refuses a mail as if for good is asked ever less often, at last once an hour', async () => {
    const sink = await startSink();
    const test = await serviceAt(sink.port);
    sink.refusing = { at: 'mail', status: 554, says: '5.7.1 Rejected as spam' };
    const stored = await postMail(test);
    await expectToWait(stored);
    await test.database.collection('mails').updateMany({}, { $set: { attempts: 20, expires_at: new Date(8.64e15) } });
    const beforeMs = test.clock.nowMs() + MINUTE;
    test.clock.advance(MINUTE);
    const next = async () => Number((await stored())?.['next_attempt_at']) - beforeMs;
    await expect.poll(next, { timeout: 5_000 }).toBeGreaterThanOrEqual(60 * MINUTE);
    expect(await next()).toBeLessThan(61 * MINUTE);
  });

  it('that takes nothing is tried by one mail at a time, ever less often; when it takes one, all leave', async () => {
    const sink = await startSink();
    let isUp = false;
    const { port, sockets } = await listen((socket) => {
      if (!isUp) return void socket.end('421 Try again later\r\n');
      socket.pipe(connect(sink.port, '127.0.0.1').on('error', () => undefined)).pipe(socket);
    });
    const test = await serviceAt(port);
    test.clock.freeze();
    const posted = await Promise.all(Array.from({ length: 20 }, () => postMail(test)));
    // Each time another one tries, since it is due for longer.
    const refused = () => test.database.collection('mails').countDocuments({ last_error: { $exists: true } });
    await expect.poll(refused).toBeGreaterThan(0);
    await pause(POLLED_WITHIN_MS);
    const first = sockets.length;
    expect(first, 'as many at once as it sends at once').toBeLessThanOrEqual(4);
    await expect.poll(refused).toBe(first);
    for (const [i, pauseMs] of [2, 4, 8, 16, 30, 30].map((seconds, i) => [i, seconds * SECOND] as const)) {
      test.clock.advance(pauseMs - SECOND);
      await pause(POLLED_WITHIN_MS);
      expect(sockets.length - first, `sooner than after ${pauseMs} ms`).toBe(i);
      test.clock.advance(SECOND);
      await expect.poll(refused, { timeout: 5_000 }).toBe(first + i + 1);
      expect(sockets.length - first).toBe(i + 1);
    }
    isUp = true;
    test.clock.advance(30 * SECOND);
    await sink.waitFor(20);
    expect(sockets.length - first, 'the one that tries, and those who follow it').toBeLessThanOrEqual(10);
    const sent = await Promise.all(posted.map((stored) => stored()));
    expect(sent.filter((mail) => mail?.['attempts'] === 1).length, 'most have tried once').toBeGreaterThanOrEqual(10);
  });

  it('that refuses the sender for now is spared in the same way', async () => {
    const sink = await startSink();
    sink.refusing = { at: 'sender', status: 452, says: '4.3.1 Insufficient system storage' };
    const test = await serviceAt(sink.port);
    test.clock.freeze();
    await Promise.all(Array.from({ length: 20 }, () => postMail(test)));
    const refused = () => test.database.collection('mails').countDocuments({ last_error: { $exists: true } });
    await expect.poll(refused).toBeGreaterThan(0);
    await pause(POLLED_WITHIN_MS);
    const first = sink.greetings.length;
    expect(first).toBeLessThanOrEqual(4);
    await expect.poll(refused).toBe(first);
    test.clock.advance(2 * SECOND);
    await expect.poll(() => sink.greetings.length, { timeout: 5_000 }).toBe(first + 1);
    await pause(POLLED_WITHIN_MS);
    expect(sink.greetings.length).toBe(first + 1);
  });

  it('that falls silent over one mail, again and again, holds up no other', async () => {
    const sink = await startSink();
    const test = await serviceAt(sink.port);
    const hanging = newRegistration();
    sink.hangFor = hanging.email;
    const socketsTo = watchSockets();
    const stored = await postMail(test, hanging);
    await expect.poll(() => sink.hanging, { timeout: 5_000 }).toBe(1);
    for (const socket of socketsTo(sink.port)) socket.emit('timeout');
    await expectToWait(stored, /Timeout/);
    test.clock.advance(2 * SECOND);
    await expect.poll(() => sink.hanging, { timeout: 5_000 }).toBe(2);

    await Promise.all(Array.from({ length: 5 }, () => postMail(test)));
    test.clock.advance(2 * SECOND);
    await sink.waitFor(5);
    expect(sink.hanging).toBe(2);
    sink.answer();
  });

  it('is greeted with the host of the sender', async () => {
    const sink = await startSink();
    await postMail(await serviceAt(sink.port, { SMTP_FROM: 'Accounts <no-reply@bücher.example>' }));
    await sink.waitFor(1);
    expect(sink.greetings).toEqual(['xn--bcher-kva.example']);
  });

  it('that is not set leaves mails to wait, until one is', async () => {
    const without = await startTestApp({ adjust: (config) => ({ ...config, isProduction: true }) });
    closing.push(() => without.close());
    const stored = await postMail(without);
    const sink = await startSink();
    await serviceAt(sink.port, {}, without);
    await sink.waitFor(1);
    await expect.poll(stored, { timeout: 5_000 }).toMatchObject({ state: 'sent', attempts: 1 });
  });

  it('that is not set leaves no mail to wait beyond its time', async () => {
    const without = await startTestApp({ adjust: (config) => ({ ...config, isProduction: true }) });
    closing.push(() => without.close());
    const stored = await postMail(without);
    without.clock.advance(11 * MINUTE);
    await expect.poll(stored, { timeout: 5_000 }).toMatchObject({ state: 'expired', sealed: null });
  });

  it('without a certificate that can be believed is told no password', async () => {
    const sink = await startSink({ encryption: 'starttls' });
    const test = await serviceAt(sink.port, CREDENTIALS);
    const stored = await postMail(test);
    await expectToWait(stored, /certificate/);
    expect(sink.logins).toEqual([]);

    believeEverybody();
    test.clock.advance(MINUTE);
    await sink.waitFor(1);
    expect(sink.logins).toEqual(['accounts']);
  });

  it('is spoken to in TLS from the first byte on where its port is that of implicit TLS', async ({ skip }) => {
    believeEverybody();
    const sink = await startSink({ encryption: 'implicit', port: IMPLICIT_TLS_PORT }).catch(({ code }) =>
      skip(`Port ${IMPLICIT_TLS_PORT} cannot be had (${code})`),
    );
    await postMail(await serviceAt(IMPLICIT_TLS_PORT, CREDENTIALS));
    await sink.waitFor(1);
    expect(sink.logins).toEqual(['accounts']);
  });

  it('that falls silent while it takes a mail is left after a minute', async () => {
    const sink = await startSink();
    const test = await serviceAt(sink.port);
    const socketsTo = watchSockets();
    const registration = newRegistration();
    sink.hangFor = registration.email;
    const stored = await postMail(test, registration);
    await expect.poll(() => sink.hanging, { timeout: 5_000 }).toBe(1);
    const waiting = socketsTo(sink.port);
    expect(waiting.map(({ timeout }) => timeout)).toEqual([MINUTE]);
    for (const socket of waiting) socket.emit('timeout');
    await expectToWait(stored, /Timeout/);
  });

  it('that never says a word is left after fifteen seconds', async () => {
    const { port, sockets } = await listen(() => undefined);
    const test = await serviceAt(port);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stored = await postMail(test);
    await expect.poll(() => sockets.length, { timeout: 5_000 }).toBe(1);
    vi.advanceTimersByTime(15 * SECOND);
    vi.useRealTimers();
    await expectToWait(stored, /never received|timeout/);
  });
});
