import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { Clock, WakeablePauses } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { duplicateKeyField } from '../../infrastructure/database/index.js';
import { MailInbox, type MailKind, type ReceivedMail } from '../../mail/index.js';
import { InboxMail } from './inbox-mail.schema.js';

export interface WantedMail {
  to: string;
  kind?: MailKind;
  /** Only mails that arrived after the one with this cursor; 0 for all. */
  after: number;
}

/** How often to look for mails that other instances have stored. */
const LOOK_EVERY_MS = 250;

/** Takes mails in place of a mail server, and keeps them for a week. Implements the port MailInbox of `mail`. */
@Injectable()
export class DevelopmentInbox extends MailInbox implements OnModuleDestroy {
  private isStopping = false;
  /** Woken when a mail has arrived here. */
  private readonly pauses = new WakeablePauses();

  constructor(
    @InjectModel(InboxMail.name) private readonly model: Model<InboxMail>,
    private readonly clock: Clock,
  ) {
    super();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    this.pauses.wakeAll();
  }

  override async receive(mail: ReceivedMail): Promise<void> {
    for (;;) {
      const newest = await this.model
        .findOne({ cursor: { $gt: 0 } })
        .sort({ cursor: -1 })
        .lean<InboxMail>();
      try {
        await this.store(mail, (newest?.cursor ?? 0) + 1);
        this.pauses.wakeAll();
        return;
      } catch (error) {
        // Another mail took this cursor. The next free cursor can be found only once that mail is visible.
        if (duplicateKeyField(error) !== 'cursor') throw error;
      }
    }
  }

  /** Mails, newest first. @param to only mails to this address */
  async list(to: string | null, limit: number): Promise<InboxMail[]> {
    return this.model.find(ofAddress(to)).sort({ cursor: -1, _id: -1 }).limit(limit).lean<InboxMail[]>();
  }

  /**
   * Waits for a mail.
   * @param isGone whether the caller waits no more
   * @returns the oldest mail that matches; null if none came within `patienceMs`
   * @throws ApiError `service_unavailable` if the service stops before one has come
   */
  async next(wanted: WantedMail, patienceMs: number, isGone: () => boolean): Promise<InboxMail | null> {
    // Not AbortSignal.any(): Node 20 may collect its time-out as garbage, and the wait would never end.
    const endMs = performance.now() + patienceMs;
    for (;;) {
      const leftMs = endMs - performance.now();
      // Begins before the look: a mail that arrives meanwhile must not be missed.
      const arrival = this.pauses.pause(Math.min(leftMs, LOOK_EVERY_MS));
      const mail = await this.findNext(wanted);
      if (mail || leftMs <= 0 || isGone()) return mail;
      if (this.isStopping) throw new ApiError('service_unavailable');
      await arrival;
    }
  }

  async count(to: string | null): Promise<number> {
    return this.model.countDocuments(ofAddress(to));
  }

  private async store({ id, ...mail }: ReceivedMail, cursor: number): Promise<void> {
    await this.model.updateOne(
      { _id: new Types.ObjectId(id) },
      { $setOnInsert: { ...mail, to_key: mail.to.toLowerCase(), sent_at: this.clock.now(), cursor } },
      { upsert: true },
    );
  }

  private async findNext({ to, kind, after }: WantedMail): Promise<InboxMail | null> {
    return this.model
      .findOne({ to_key: to.toLowerCase(), cursor: { $gt: after }, ...(kind ? { kind } : {}) })
      .sort({ cursor: 1 })
      .lean<InboxMail>();
  }
}

function ofAddress(to: string | null): Partial<InboxMail> {
  return to ? { to_key: to.toLowerCase() } : {};
}
