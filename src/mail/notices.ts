import { Injectable } from '@nestjs/common';
import { Config } from '../infrastructure/config/index.js';
import type { MailContexts, MailKind } from './mail-kinds.js';
import { MailOutbox } from './outbox/mail-outbox.js';

/** After this time a notice of an event is no longer of use, and is not sent. */
export const NOTICE_LIFETIME_MS = 86_400_000;

type NoticeKind = { [K in MailKind]: MailContexts[K] extends { reset_url: string } ? K : never }[MailKind];

/** Mails that tell an owner what happened to the account. */
@Injectable()
export class Notices {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly config: Config,
  ) {}

  /** Adds to the facts the front end's page on which a reader who did not do it asks for a new password. */
  async post<K extends NoticeKind>(
    kind: K,
    to: string,
    happenedAt: Date,
    facts: Omit<MailContexts[K], 'reset_url'>,
  ): Promise<void> {
    const context = { ...facts, reset_url: `${this.config.mail.frontendUrl}/forgot-password` } as MailContexts[K];
    await this.outbox.post({ kind, to, context, expiresAt: new Date(happenedAt.getTime() + NOTICE_LIFETIME_MS) });
  }
}
