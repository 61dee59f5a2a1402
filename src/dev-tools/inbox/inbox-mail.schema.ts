import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

const RETENTION_SECONDS = 7 * 86_400;

/** A mail of the development inbox, with its code in clear text: this collection does not exist in production. */
@Schema({ collection: 'dev_inbox', versionKey: false })
export class InboxMail {
  _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  kind: string;

  @Prop({ type: String, required: true })
  to: string;

  /** The address in lower case. */
  @Prop({ type: String, required: true })
  to_key: string;

  @Prop({ type: String, required: true })
  subject: string;

  @Prop({ type: String, required: true })
  text: string;

  @Prop({ type: String, required: true })
  html: string;

  @Prop({ type: String, default: null })
  otp: string | null;

  @Prop({ type: String, default: null })
  token: string | null;

  @Prop({ type: String, default: null })
  link: string | null;

  /** Position in the order of arrival; not a time, since clocks can be set back. */
  @Prop({ type: Number, required: true })
  cursor: number;

  @Prop({ type: Date, required: true })
  sent_at: Date;
}

export const InboxMailSchema = SchemaFactory.createForClass(InboxMail);
InboxMailSchema.index({ to_key: 1, cursor: -1 });
// No two mails can have the same cursor.
InboxMailSchema.index({ cursor: -1 }, { unique: true, sparse: true });
InboxMailSchema.index({ sent_at: -1 }, { expireAfterSeconds: RETENTION_SECONDS });
