import { Injectable } from '@nestjs/common';
import { Metrics } from '../../infrastructure/observability/index.js';
import { MailsRepository } from './mails.repository.js';

const STUCK_AFTER_MS = 60_000;

/** Metrics of mails. Waiting mails are counted in the database, so every instance reports the same number. */
@Injectable()
export class MailMetrics {
  /** Outcomes of attempts to send a mail. */
  readonly attempts;

  constructor(metrics: Metrics, mails: MailsRepository) {
    this.attempts = metrics.counters(
      'mail_attempts_total',
      'Attempts at sending: taken by the mail server, refused for good, put off, given up because the code expired',
      'outcome',
      ['sent', 'refused', 'postponed', 'expired'],
    );
    metrics.gauge(
      'mails_waiting',
      'Stored mails that are still to be sent; 10,000 at most',
      () => mails.countUnsent(),
      'max',
    );
    metrics.gauge(
      'mails_stuck',
      'Mails that have waited for more than a minute; 10,000 at most',
      () => mails.countUnsent(STUCK_AFTER_MS),
      'max',
    );
  }
}
