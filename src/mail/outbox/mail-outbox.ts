import { Injectable } from '@nestjs/common';
import { Transactions } from '../../infrastructure/database/index.js';
import type { MailContexts, MailKind } from '../mail-kinds.js';
import { MailSeal } from './mail-seal.js';
import { MailWorker } from './mail-worker.js';
import { MailsRepository } from './mails.repository.js';

export interface OutgoingMail<K extends MailKind> {
  kind: K;
  to: string;
  context: MailContexts[K];
  /** After this moment the mail is not sent any more: its code would be refused. */
  expiresAt: Date;
  /** Whether to store the mail but never send it: for an address without an account, which must take the same time. */
  isDecoy?: boolean;
}

/** Takes mails from features: stores them, in the caller's transaction if there is one; the worker sends them afterwards. */
@Injectable()
export class MailOutbox {
  constructor(
    private readonly mails: MailsRepository,
    private readonly seal: MailSeal,
    private readonly worker: MailWorker,
    private readonly transactions: Transactions,
  ) {}

  async post<K extends MailKind>({ kind, to, context, expiresAt, isDecoy = false }: OutgoingMail<K>): Promise<void> {
    await this.mails.insert({ kind, to, sealed: this.seal.seal(context), expiresAt, isDecoy });
    this.transactions.afterCommit(() => this.worker.wake());
  }
}
