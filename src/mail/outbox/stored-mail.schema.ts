import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { MailKind } from '../mail-kinds.js';

/**
 * `waiting` for its turn or its next attempt; `sending`, leased by one worker; `sent`; `expired`, since its code expired before
 * it could be sent; `superseded` by a newer mail that invalidated its code; `failed`, refused permanently; `decoy`, stored in
 * place of a mail that nobody must receive.
 */
export const MAIL_STATES = ['waiting', 'sending', 'sent', 'expired', 'superseded', 'failed', 'decoy'] as const;
export type MailState = (typeof MAIL_STATES)[number];

@Schema({ collection: 'mails', versionKey: false })
export class StoredMail {
  _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  kind: MailKind;

  @Prop({ type: String, required: true })
  to: string;

  /** `to` in lower case. */
  @Prop({ type: String, required: true })
  to_key: string;

  @Prop({ type: String, enum: MAIL_STATES, required: true })
  state: MailState;

  /** The mail's context, encrypted, since it has the code that is otherwise stored as a hash only; null once it is not needed. */
  @Prop({ type: String, default: null })
  sealed: string | null;

  @Prop({ type: Number, default: 0 })
  attempts: number;

  @Prop({ type: Date, required: true })
  next_attempt_at: Date;

  /** While `sending`: when another worker may take the mail over. */
  @Prop({ type: Date })
  leased_until?: Date;

  /** After this moment the mail is not sent. */
  @Prop({ type: Date, required: true })
  expires_at: Date;

  @Prop({ type: Date, required: true })
  created_at: Date;

  @Prop({ type: Date })
  sent_at?: Date;

  /** What the mail server last said. */
  @Prop({ type: String })
  last_error?: string;

  @Prop({ type: Date, required: true })
  purge_at: Date;
}

export const StoredMailSchema = SchemaFactory.createForClass(StoredMail);
StoredMailSchema.index({ state: 1, next_attempt_at: 1 });
// Looked for by every instance without end: while the mail server is away, all that wait would be read each time.
StoredMailSchema.index({ state: 1, expires_at: 1 });
StoredMailSchema.index({ to_key: 1, kind: 1, state: 1 });
StoredMailSchema.index({ purge_at: 1 }, { expireAfterSeconds: 0 });
