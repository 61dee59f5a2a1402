import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { Role } from '../../common/access/index.js';

/** Role and state of an account; one document for each user. */
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

  /** Incremented by each change of the password; sessions of an older version are invalid. */
  @Prop({ type: Number, default: 1 })
  credential_version: number;

  /** Number of lockdowns and resets by mail. A link for reporting a login is valid as long as this is the same as at that login. */
  @Prop({ type: Number, default: 0 })
  recoveries: number;

  /** After its-not-me: the old password no longer logs in. */
  @Prop({ type: Boolean, default: false })
  password_reset_required: boolean;

  /** Written by transactions that only depend on this document, so that they conflict with those that change it. */
  @Prop({ type: Types.ObjectId })
  lock?: Types.ObjectId;

  /** The same as in User. */
  @Prop({ type: Date })
  unconfirmed_until?: Date;
}

export const AuthSchema = SchemaFactory.createForClass(Auth);
AuthSchema.index({ user: 1 }, { unique: true });
AuthSchema.index({ unconfirmed_until: 1 }, { expireAfterSeconds: 0 });
// Only of those who have a role; `$gt`, because MongoDB's planner sees that it holds for any role that is asked for.
AuthSchema.index({ role: 1 }, { partialFilterExpression: { role: { $gt: '' } } });
