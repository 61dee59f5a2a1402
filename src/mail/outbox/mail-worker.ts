import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { Clock, WakeablePauses } from '../../common/clock/index.js';
import { DatabaseServer, isDatabaseUnavailable } from '../../infrastructure/database/index.js';
import { type DeliveryError, isRecipientRefused, isServerFailure } from '../delivery/delivery-error.js';
import { MailTransport } from '../delivery/mail-transport.js';
import { MailMetrics } from './mail-metrics.js';
import { MailSeal } from './mail-seal.js';
import { LEASE_MS, type LeasedMail, MailsRepository } from './mails.repository.js';
import { LONGEST_SERVER_PAUSE_MS, pauseAfter, ServerPause } from './server-pause.js';

/** Mails of this instance are sent at once; this looks for those that other instances left behind, and for retries that are due. */
const POLL_MS = 500;
/** None of them is sent meanwhile. */
const DROP_EXPIRED_EVERY_MS = 2_000;
/** Mails sent at the same time: one slow mail server does not hold up the other recipients. */
const LANES = 4;
const LONGEST_PAUSE_MS = 120_000;
/** After a refusal that says it is permanent, though it is not about the recipient. */
const LONGEST_PAUSE_OF_REFUSED_MS = 3_600_000;
/** Time that a stop gives to mails being sent. One that takes longer is sent again when its lease has run out. */
const LAST_DELIVERIES_MS = 3_000;
/** Pause before recording again that a mail was sent. */
const NOTE_PAUSE_MS = 500;
/** Characters kept of what a mail server says. */
const REASON_LENGTH = 200;
/** Whatever looks like an address; local parts have 64 characters at most (RFC 5321 section 4.5.3.1.1). */
const ADDRESSES = /[^\s<>"]{1,64}@[^\s<>"]+/g;

/** Sends stored mails, in every instance; a lease in the database gives each mail to one of them. */
@Injectable()
export class MailWorker implements OnApplicationBootstrap, OnModuleDestroy, OnCleanSlate {
  private readonly logger = new Logger('Mail');
  private readonly loops: Promise<void>[] = [];
  private readonly pauses = new WakeablePauses();
  private readonly pausesOfExpiry = new WakeablePauses();
  private readonly underWay = new Set<Promise<boolean>>();
  /** Ids of the mails being sent. */
  private readonly inHand = new Set<string>();
  private readonly serverPause: ServerPause;
  private isStopping = false;

  constructor(
    private readonly mails: MailsRepository,
    private readonly seal: MailSeal,
    private readonly transport: MailTransport,
    private readonly clock: Clock,
    private readonly metrics: MailMetrics,
    private readonly database: DatabaseServer,
  ) {
    this.serverPause = new ServerPause(clock);
  }

  onApplicationBootstrap(): void {
    if (!this.transport.isConfigured) {
      this.logger.warn('SMTP_HOST is not set: mails are stored and wait');
    } else {
      this.loops.push(this.loop(() => this.poll(), POLL_MS));
      for (let lane = 0; lane < LANES; lane += 1) this.loops.push(this.loop(() => this.sendAll()));
    }
    this.loops.push(this.loop(() => this.dropExpired(), DROP_EXPIRED_EVERY_MS, this.pausesOfExpiry));
    this.database.beforeClose(async () => {
      await Promise.race([Promise.all(this.loops), pause(LAST_DELIVERIES_MS, undefined, { ref: false })]);
    });
  }

  /** Does not wait for mails being sent: the port stays open until this returns, and a mail server may be slow. */
  onModuleDestroy(): void {
    this.isStopping = true;
    this.wake();
    this.pausesOfExpiry.wakeAll();
  }

  /** Waits for mails being sent, which would otherwise arrive on the clean slate. */
  async onCleanSlate(): Promise<void> {
    await Promise.all(this.underWay);
    this.serverPause.noteAnswer();
  }

  /** Tells the worker that there may be something to send. */
  wake(): void {
    this.pauses.wakeAll();
  }

  /**
   * Repeats work in the async context in which the application started. In that of a caller who posts a mail, the worker would be
   * part of the caller's transaction.
   * @param everyMs longest pause between two runs; without it, it waits until it is woken
   */
  private async loop(work: () => Promise<void>, everyMs?: number, pauses = this.pauses): Promise<void> {
    while (!this.isStopping) {
      try {
        await work();
      } catch (error) {
        if (!isDatabaseUnavailable(error)) this.logger.error({ err: error }, 'The mail worker stumbled, and goes on');
      }
      if (!this.isStopping) await pauses.pause(everyMs);
    }
  }

  /** One reader for all sending loops: if each of them tried to lease a mail, idle instances would write many times a second. */
  private async poll(): Promise<void> {
    if (await this.mails.isAnyDue(this.inHand)) this.wake();
  }

  private async sendAll(): Promise<void> {
    let wasAnyDue = true;
    while (wasAnyDue && !this.isStopping && this.serverPause.allows()) {
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

  /** @returns whether a mail was due */
  private async sendNext(): Promise<boolean> {
    const mail = await this.mails.leaseNext(this.inHand);
    if (mail) await this.send(mail);
    return mail !== null;
  }

  private async send(mail: LeasedMail): Promise<void> {
    this.inHand.add(mail.id);
    const renewal = setInterval(() => void this.mails.renewLease(mail).catch(() => undefined), LEASE_MS / 3);
    try {
      const failure = await this.deliver(mail);
      if (failure && isServerFailure(failure)) this.serverPause.noteFailure();
      // A mistake in a template says nothing of the server.
      else if (!failure || failure.responseCode) this.serverPause.noteAnswer();
      if (failure) await this.postpone(mail, failure);
      else await this.noteSent(mail);
    } finally {
      clearInterval(renewal);
      this.inHand.delete(mail.id);
    }
  }

  /** @returns null once the mail server has taken the mail, else its error */
  private async deliver({ id, kind, to, sealed }: LeasedMail): Promise<DeliveryError | null> {
    try {
      await this.transport.deliver({ id, kind, to, context: this.seal.unseal(sealed) as never });
      return null;
    } catch (error) {
      return error as DeliveryError;
    }
  }

  /**
   * Records that a mail was sent. If the database fails, this is repeated for as long as the lease lasts, so that the mail is not
   * sent again. One case remains: if the process dies before, or the database fails for longer, the mail counts as abandoned and
   * is sent again, with the same Message-ID.
   */
  private async noteSent({ id }: LeasedMail): Promise<void> {
    this.metrics.attempts.sent.inc();
    const lastTryMs = performance.now() + LEASE_MS;
    for (;;) {
      try {
        await this.mails.markSent(id);
        return;
      } catch (error) {
        if (performance.now() > lastTryMs) throw error;
        await pause(NOTE_PAUSE_MS);
      }
    }
  }

  private async postpone(mail: LeasedMail, error: DeliveryError): Promise<void> {
    const reason = error.message.slice(0, REASON_LENGTH);
    const logged = { mail: mail.id, kind: mail.kind, reason: withoutAddresses(error.message).slice(0, REASON_LENGTH) };
    const isRefusedForGood = isRecipientRefused(error);
    this.metrics.attempts[isRefusedForGood ? 'refused' : 'postponed'].inc();
    if (isRefusedForGood) {
      this.logger.warn(logged, 'A mail was refused for good');
      await this.mails.markFailed(mail, reason);
      return;
    }
    const pauseMs = pauseAfter(mail.attempts, longestPauseAfter(error));
    this.logger.warn({ ...logged, retry_in_ms: pauseMs }, 'A mail waits for another attempt');
    await this.mails.retryAt(mail, new Date(this.clock.nowMs() + pauseMs), reason);
  }
}

/** Mail servers name the recipient. The log, which outlives an erased account, does not; the stored mail, which is erased with it, does. */
function withoutAddresses(text: string): string {
  return text.replace(ADDRESSES, '…@…');
}

function longestPauseAfter(error: DeliveryError): number {
  if (isServerFailure(error)) return LONGEST_SERVER_PAUSE_MS;
  return Number(error.responseCode) >= 500 ? LONGEST_PAUSE_OF_REFUSED_MS : LONGEST_PAUSE_MS;
}
