import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { Clock } from '../common/clock/index.js';
import { MailInbox, type ReceivedMail } from '../mail/index.js';
import { InboxMail } from './inbox-mail.schema.js';

/** Takes the mails that no mail server takes, and keeps them for a week. Fulfils the mail room's port MailInbox. */
@Injectable()
export class DevelopmentInbox extends MailInbox {
  constructor(
    @InjectModel(InboxMail.name) private readonly model: Model<InboxMail>,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async receive({ id, ...mail }: ReceivedMail): Promise<void> {
    await this.model.updateOne(
      { _id: new Types.ObjectId(id) },
      { $setOnInsert: { ...mail, to_key: mail.to.toLowerCase(), sent_at: this.clock.now() } },
      { upsert: true },
    );
  }

  /** Newest first. @param to only mails to this address */
  async list(to: string | null, limit: number): Promise<InboxMail[]> {
    return this.model
      .find(to ? { to_key: to.toLowerCase() } : {})
      .sort({ sent_at: -1, _id: -1 })
      .limit(limit)
      .lean<InboxMail[]>();
  }

  async count(): Promise<number> {
    return this.model.countDocuments();
  }
}
