import { setTimeout as pause } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { MINUTE } from './manual-clock.js';
import { newRegistration, PASSWORD, type Tokens } from './personas.js';
import { SmtpSink, type SunkMail } from './smtp-sink.js';
import { startTestApp, type TestApp } from './test-app.js';

/**
 * What a suite has at hand that is about mails over SMTP: a mail server that takes mails and forgets them after each test, a service
 * that sends to it, people who get them, and what has become of their mails.
 */
export class MailSuite {
  sink: SmtpSink;
  test: TestApp;

  constructor() {
    beforeAll(async () => {
      this.sink = await SmtpSink.start();
      const { port } = this.sink;
      const env = { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), SMTP_FROM: 'Acme <no-reply@app.example>' };
      this.test = await startTestApp({ env });
    });
    afterEach(() => {
      this.sink.refusing = null;
      this.sink.mails.length = 0;
    });
    afterAll(async () => {
      await this.test.close();
      await this.sink.stop();
    });
  }

  /** @returns the address */
  async register(overrides = {}): Promise<string> {
    const registration = newRegistration(overrides);
    const { status } = await this.test.client().post('/auth/register', registration);
    expect(status).toBe(201);
    return registration.email;
  }

  /** Somebody who has logged in, and can do so again from elsewhere. */
  async user() {
    const registration = newRegistration();
    const { email, username } = registration;
    const client = this.test.client();
    await client.post('/auth/register', registration);
    const [mail] = (await this.sink.waitFor(1)) as [SunkMail];
    const otp = /^ {4}(\d{6})\r$/m.exec(mail.source)?.[1];
    expect((await client.post('/auth/verify-otp', { email, otp })).status).toBe(200);
    const logIn = async (device: string) => {
      const headers = { 'user-agent': device };
      const credentials = { login: username, password: PASSWORD };
      const { status, body } = await this.test.client().post('/auth/login', credentials, { headers });
      expect(status).toBe(200);
      return body.data as Tokens;
    };
    const tokens = await logIn('first');
    this.sink.mails.length = 0;
    return { email, client, logIn, ...tokens };
  }

  stored(to: string): Promise<Document | null> {
    return this.test.database.collection('mails').findOne({ to });
  }

  /** Waits until the mail to somebody is in that state. */
  stateOf(to: string, state: string): Promise<Document> {
    return this.until(to, state, (mail) => mail['state'] === state);
  }

  /** Waits until the mail to somebody has been refused, and waits. */
  refusedOnce(to: string): Promise<Document> {
    return this.until(to, 'refused', (mail) => mail['state'] === 'waiting' && mail['last_error'] !== undefined);
  }

  /** Waits until so many mails to somebody have been refused, so often, and wait. */
  async putOff(to: string, count: number, attempts = 1): Promise<void> {
    const waiting = { to, state: 'waiting', last_error: { $exists: true }, attempts: { $gte: attempts } };
    const counted = () => this.test.database.collection('mails').countDocuments(waiting);
    await expect.poll(counted, { timeout: 5_000 }).toBe(count);
  }

  takeMailsAgain(): void {
    this.sink.refusing = null;
    this.test.clock.advance(2 * MINUTE);
  }

  /** Of all mails that have arrived, in alphabetical order. */
  subjects(): (string | undefined)[] {
    return this.sink.mails.map(({ source }) => /^Subject: (.+)\r$/m.exec(source)?.[1]).sort();
  }

  private async until(to: string, what: string, isSo: (mail: Document) => boolean): Promise<Document> {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const mail = await this.stored(to);
      if (mail && isSo(mail)) return mail;
      await pause(10);
    }
    throw new Error(`The mail to ${to} never became ${what}`);
  }
}
