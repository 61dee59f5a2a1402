import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { Role } from '../../common/access/index.js';

/** What an account may do, and in which state it is. One for each user. */
@Schema({ collection: 'auths', versionKey: false })
export class Auth {
  _id: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user: Types.ObjectId;

  @Prop({ type: String, default: null })
  role: Role | null;

  @Prop({ type: Date, default: null })
  confirmed_at: Date | null;

  @Prop({ type: Date, default: null })
  disabled_at: Date | null;

  /** Grows with each change of the credential; sessions of an older version are dead. */
  @Prop({ type: Number, default: 1 })
  credential_version: number;

  /** Counts lockdowns and resets by mail. A link to report a login is good while it stands as it did at that login. */
  @Prop({ type: Number, default: 0 })
  recoveries: number;

  /** After its-not-me: the old password no longer logs in. */
  @Prop({ type: Boolean, default: false })
  password_reset_required: boolean;

  /** As in User. */
  @Prop({ type: Date })
  unconfirmed_until?: Date;
}

export const AuthSchema = SchemaFactory.createForClass(Auth);
AuthSchema.index({ user: 1 }, { unique: true });
AuthSchema.index({ unconfirmed_until: 1 }, { expireAfterSeconds: 0 });
