import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** What codes are asked for. Codes of two purposes know nothing of each other: each has its tries, and its quota. */
const OTP_PURPOSES = ['email_verification'] as const;
export type OtpPurpose = (typeof OTP_PURPOSES)[number];

const SECRET_PURPOSES = [...OTP_PURPOSES, 'password_reset'] as const;
export type SecretPurpose = (typeof SECRET_PURPOSES)[number];

/** At most one per subject and purpose; issuing anew replaces it, so only the newest can be used. */
@Schema({ collection: 'one_time_secrets', versionKey: false })
export class OneTimeSecret {
  /** The account, or a decoy that stands for an address without one. */
  @Prop({ type: Types.ObjectId, required: true })
  subject: Types.ObjectId;

  @Prop({ type: String, enum: SECRET_PURPOSES, required: true })
  purpose: SecretPurpose;

  /** bcrypt of an OTP, SHA-256 of a reset token; null once consumed. */
  @Prop({ type: String, default: null })
  hash: string | null;

  @Prop({ type: Number, required: true })
  tries_left: number;

  @Prop({ type: Date, required: true })
  expires_at: Date;

  /** When secrets were issued lately, oldest first; limits how many mails of this purpose a recipient gets. */
  @Prop({ type: [Date], required: true })
  issued_at: Date[];

  @Prop({ type: Date, required: true })
  last_issued_at: Date;

  /** When the document can be removed, since neither the secret nor the times of issue matter any more. */
  @Prop({ type: Date, required: true })
  purge_at: Date;
}

export const OneTimeSecretSchema = SchemaFactory.createForClass(OneTimeSecret);
OneTimeSecretSchema.index({ subject: 1, purpose: 1 }, { unique: true });
OneTimeSecretSchema.index({ hash: 1 }, { partialFilterExpression: { purpose: 'password_reset' } });
OneTimeSecretSchema.index({ purge_at: 1 }, { expireAfterSeconds: 0 });
