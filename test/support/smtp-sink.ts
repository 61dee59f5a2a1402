import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

export interface SunkMail {
  from: string;
  recipients: string[];
  source: string;
}

export interface SmtpSinkOptions {
  /** With a certificate that nobody has signed: after STARTTLS, or from the first byte on. */
  encryption?: 'none' | 'starttls' | 'implicit';
  port?: number;
}

type Stage = 'greeting' | 'login' | 'sender' | 'recipient' | 'mail';

/** A mail server on the loopback interface. */
export class SmtpSink {
  readonly mails: SunkMail[] = [];
  connections = 0;
  /** Who has logged in, by the name they gave. It offers that without encryption too. */
  readonly logins: string[] = [];
  /** By what name each of those greeted it who have named a sender. */
  readonly greetings: string[] = [];
  /** At which stage it refuses, with which status, and what it says; null to take mails. */
  refusing: { at: Stage; status: number; says?: string } | null = null;
  /** A recipient for whom it does not answer, until it is told to; then as `refusing` says. */
  hangFor: string | null = null;
  private unanswered: (() => void)[] = [];
  private server: SMTPServer;
  private boundPort: number;

  private constructor(private readonly options: SmtpSinkOptions) {
    this.boundPort = options.port ?? 0;
    this.server = this.createServer();
  }

  static async start(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    await sink.listen();
    return sink;
  }

  get port(): number {
    return this.boundPort;
  }

  /** How many mails it has been handed and has not answered. */
  get hanging(): number {
    return this.unanswered.length;
  }

  /** Answers the mails that hang. */
  answer(): void {
    for (const answer of this.unanswered.splice(0)) answer();
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Listens again, on the port of before. */
  async resume(): Promise<void> {
    this.server = this.createServer();
    await this.listen();
  }

  async waitFor(count: number): Promise<SunkMail[]> {
    const deadline = Date.now() + 15_000;
    while (this.mails.length < count) {
      if (Date.now() > deadline) throw new Error(`${this.mails.length} of ${count} mails came`);
      await pause(10);
    }
    return this.mails;
  }

  private async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.boundPort, '127.0.0.1', resolve);
    });
    this.server.removeAllListeners('error');
    // A connection that breaks is nothing to it.
    this.server.on('error', () => undefined);
    this.boundPort = (this.server.server.address() as AddressInfo).port;
  }

  private createServer(): SMTPServer {
    return new SMTPServer({
      authOptional: true,
      closeTimeout: 50,
      // Otherwise it warns of its certificate.
      logger: false,
      secure: this.options.encryption === 'implicit',
      disabledCommands: this.options.encryption === 'starttls' ? [] : ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username = '' }, _session, done) => {
        this.logins.push(username);
        done(this.refusalAt('login'), { user: username });
      },
      onConnect: (_session, done) => {
        this.connections += 1;
        done(this.refusalAt('greeting'));
      },
      onMailFrom: (_address, { hostNameAppearsAs }, done) => {
        this.greetings.push(String(hostNameAppearsAs));
        done(this.refusalAt('sender'));
      },
      onRcptTo: (_address, _session, done) => done(this.refusalAt('recipient')),
      onData: (stream, session, done) => {
        let source = '';
        stream.on('data', (chunk) => (source += chunk.toString()));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const recipients = rcptTo.map(({ address }) => address);
          const answer = () => {
            const refusal = this.refusalAt('mail');
            if (refusal) {
              done(refusal);
              return;
            }
            this.mails.push({ from: mailFrom ? mailFrom.address : '', recipients, source });
            done();
          };
          if (this.hangFor && recipients.includes(this.hangFor)) this.unanswered.push(answer);
          else answer();
        });
      },
    });
  }

  private refusalAt(at: Stage): Error | null {
    if (this.refusing?.at !== at) return null;
    const { status, says = 'refused' } = this.refusing;
    return Object.assign(new Error(says), { responseCode: status });
  }
}
