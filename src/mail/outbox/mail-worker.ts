import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { Clock } from '../../common/clock/index.js';
import { DatabaseServer, isDatabaseUnavailable } from '../../infrastructure/database/index.js';
import { MailTransport } from '../delivery/mail-transport.js';
import { MailMetrics } from './mail-metrics.js';
import { MailSeal } from './mail-seal.js';
import { LEASE_MS, type LeasedMail, MailsRepository } from './mails.repository.js';

/** What this instance posts is sent at once; looked for is what others posted and left, and what is to be tried again. */
const POLL_MS = 500;
/** Mails sent at the same time: one slow mail server does not hold up the other recipients. */
const LANES = 4;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 120_000;
/** For mails that are on their way when the service stops. What takes longer is sent again when its lease has run out. */
const LAST_DELIVERIES_MS = 3_000;
/** Before the note that a mail has left is tried again. */
const NOTE_PAUSE_MS = 500;

/** Of nodemailer: connection, greeting, encryption or login failed. That is no refusal of a mail, and can be mended while mails wait. */
const BEFORE_ANY_MAIL = new Set(['ECONNECTION', 'EPROTOCOL', 'ETLS', 'EAUTH']);
/** Neither is this, though a mail is answered with it: encryption (RFC 3207 section 4) or a login (RFC 4954 section 6) has to come first. */
const LOGIN_REQUIRED = 530;

type DeliveryError = Error & { responseCode?: number; code?: string };

/** Sends stored mails, in every instance; a lease in the database gives each mail to one of them. */
@Injectable()
export class MailWorker implements OnApplicationBootstrap, OnModuleDestroy, OnCleanSlate {
  private readonly logger = new Logger('Mail');
  private readonly loops: Promise<void>[] = [];
  private readonly sleepers = new Set<() => void>();
  private readonly underWay = new Set<Promise<boolean>>();
  private isStopping = false;

  constructor(
    private readonly mails: MailsRepository,
    private readonly seal: MailSeal,
    private readonly transport: MailTransport,
    private readonly clock: Clock,
    private readonly metrics: MailMetrics,
    private readonly database: DatabaseServer,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.transport.isConfigured) {
      this.logger.warn('SMTP_HOST is not set: mails are stored and wait');
      return;
    }
    this.loops.push(this.loop(() => this.look(), POLL_MS));
    for (let lane = 0; lane < LANES; lane += 1) this.loops.push(this.loop(() => this.sendAll()));
    this.database.beforeClose(async () => {
      await Promise.race([Promise.all(this.loops), pause(LAST_DELIVERIES_MS, undefined, { ref: false })]);
    });
  }

  /** Waits for nothing: the port is open until this returns, and a mail server may take its time. */
  onModuleDestroy(): void {
    this.isStopping = true;
    this.wake();
  }

  /** A mail that is being sent right now would arrive after everything else is gone. */
  async onCleanSlate(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** There may be something to send. */
  wake(): void {
    for (const sleeper of this.sleepers) sleeper();
  }

  /**
   * Loops run in the context in which the application started. Were mails sent by whoever posts them, the worker would
   * find itself in that caller's transaction.
   * @param everyMs when to go on unasked; otherwise it waits until it is woken
   */
  private async loop(work: () => Promise<void>, everyMs?: number): Promise<void> {
    while (!this.isStopping) {
      try {
        await work();
      } catch (error) {
        if (!isDatabaseUnavailable(error)) this.logger.error({ err: error }, 'The mail worker stumbled, and goes on');
      }
      if (!this.isStopping) await this.sleep(everyMs);
    }
  }

  private async sleep(longestMs?: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.sleepers.delete(wake);
        resolve();
      };
      const timer = longestMs === undefined ? undefined : setTimeout(wake, longestMs);
      this.sleepers.add(wake);
    });
  }

  /** One reader for all lanes: idle instances would otherwise write to the database many times a second. */
  private async look(): Promise<void> {
    await this.dropExpired();
    if (await this.mails.isAnyDue()) this.wake();
  }

  private async sendAll(): Promise<void> {
    let wasAnyDue = true;
    while (wasAnyDue && !this.isStopping) {
      const sending = this.sendNext();
      this.underWay.add(sending);
      wasAnyDue = await sending.finally(() => this.underWay.delete(sending));
    }
  }

  private async dropExpired(): Promise<void> {
    const count = await this.mails.expireOutdated();
    this.metrics.attempts.expired.inc(count);
    if (count > 0) this.logger.warn(`${count} mails could not be sent before their codes expired`);
  }

  /** @returns false when nothing was due */
  private async sendNext(): Promise<boolean> {
    const mail = await this.mails.leaseNext();
    if (mail) await this.send(mail);
    return mail !== null;
  }

  private async send(mail: LeasedMail): Promise<void> {
    const renewal = setInterval(() => void this.mails.renewLease(mail.id).catch(() => undefined), LEASE_MS / 3);
    try {
      const failure = await this.deliver(mail);
      if (failure) await this.postpone(mail, failure);
      else await this.noteSent(mail);
    } finally {
      clearInterval(renewal);
    }
  }

  /** @returns null once the mail server has taken the mail, else what stood in the way */
  private async deliver({ id, kind, to, sealed }: LeasedMail): Promise<DeliveryError | null> {
    try {
      await this.transport.deliver({ id, kind, to, context: this.seal.unseal(sealed) as never });
      return null;
    } catch (error) {
      return error as DeliveryError;
    }
  }

  /**
   * What has left must not leave again because the database fails over the note of it, so the note is tried for as long as
   * a lease lasts. What remains: when the process dies before the note, or the database is away for longer, the mail is
   * taken for abandoned and sent again, under the same Message-ID.
   */
  private async noteSent({ id }: LeasedMail): Promise<void> {
    this.metrics.attempts.sent.inc();
    const lastTryMs = this.clock.nowMs() + LEASE_MS;
    for (;;) {
      try {
        await this.mails.markSent(id);
        return;
      } catch (error) {
        if (this.clock.nowMs() > lastTryMs) throw error;
        await pause(NOTE_PAUSE_MS);
      }
    }
  }

  private async postpone(mail: LeasedMail, error: DeliveryError): Promise<void> {
    const reason = error.message.slice(0, 200);
    const isRefusedForGood = isRefusal(error);
    this.metrics.attempts[isRefusedForGood ? 'refused' : 'postponed'].inc();
    if (isRefusedForGood) {
      this.logger.warn({ mail: mail.id, kind: mail.kind, reason }, 'A mail was refused for good');
      await this.mails.markFailed(mail.id, reason);
      return;
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (mail.attempts - 1), LONGEST_PAUSE_MS);
    this.logger.warn(
      { mail: mail.id, kind: mail.kind, reason, retry_in_ms: pauseMs },
      'A mail waits for another attempt',
    );
    await this.mails.retryAt(mail.id, new Date(this.clock.nowMs() + pauseMs), reason);
  }
}

/** Whether the mail server refuses this mail, and would again. */
function isRefusal({ responseCode = 0, code = '' }: DeliveryError): boolean {
  return responseCode >= 500 && responseCode !== LOGIN_REQUIRED && !BEFORE_ANY_MAIL.has(code);
}
