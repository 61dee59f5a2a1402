import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

export const USER_STATUSES = ['pending', 'active', 'inactive'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** Who a person is, and the password's hash. Names and addresses are kept as typed; the keys make them unique. */
@Schema({ collection: 'users', versionKey: false })
export class User {
  _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  last_name: string;

  @Prop({ type: String, required: true })
  first_name: string;

  @Prop({ type: String, required: true })
  username: string;

  /** The username in lower case. */
  @Prop({ type: String, required: true })
  username_key: string;

  @Prop({ type: String, required: true })
  email: string;

  /** The e-mail address in lower case. */
  @Prop({ type: String, required: true })
  email_key: string;

  /** bcrypt hash. */
  @Prop({ type: String, required: true })
  password: string;

  @Prop({ type: Date, required: true })
  created_at: Date;

  @Prop({ type: Date, required: true })
  updated_at: Date;

  @Prop({ type: Date, default: null })
  deleted_at: Date | null;

  /**
   * `pending` until the address is confirmed, `active`, or `inactive`: disabled or deleted. It follows from the auth
   * record and stands here too, so that a list can be filtered by an index.
   */
  @Prop({ type: String, enum: USER_STATUSES, required: true })
  status: UserStatus;

  /** Set while the e-mail address is unconfirmed: the account is purged then. */
  @Prop({ type: Date })
  unconfirmed_until?: Date;
}

export const UserSchema = SchemaFactory.createForClass(User);
UserSchema.index({ username_key: 1 }, { unique: true });
UserSchema.index({ email_key: 1 }, { unique: true });
// One for each way to list them, so that a page costs the same among a million.
UserSchema.index({ created_at: -1, _id: -1 });
UserSchema.index({ status: 1, created_at: -1, _id: -1 });
UserSchema.index({ status: 1, username_key: 1 });
UserSchema.index({ status: 1, email_key: 1 });
UserSchema.index({ unconfirmed_until: 1 }, { expireAfterSeconds: 0 });
