import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

export const USER_STATUSES = ['pending', 'active', 'inactive'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** A person's names and address, and the hash of the password. Username and address are stored as typed; the keys in lower case make them unique. */
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

  /** bcrypt hash. Read only where it is asked for: an account that another module populates into its answer has none. */
  @Prop({ type: String, required: true, select: false })
  password: string;

  @Prop({ type: Date, required: true })
  created_at: Date;

  @Prop({ type: Date, required: true })
  updated_at: Date;

  @Prop({ type: Date, default: null })
  deleted_at: Date | null;

  /**
   * `pending` until the address is confirmed, then `active`, or `inactive` if disabled or deleted. It follows from the auth record
   * (unless a newer release has set another), and is stored here too so that lists can be filtered by an index.
   */
  @Prop({ type: String, enum: USER_STATUSES, required: true })
  status: UserStatus;

  /** When to remove the account; set while the e-mail address is unconfirmed. */
  @Prop({ type: Date })
  unconfirmed_until?: Date;
}

export const UserSchema = SchemaFactory.createForClass(User);
UserSchema.index({ username_key: 1 }, { unique: true });
UserSchema.index({ email_key: 1 }, { unique: true });
// One index for each way to list accounts, so that a page costs the same among a million.
UserSchema.index({ created_at: -1, _id: -1 });
UserSchema.index({ status: 1, created_at: -1, _id: -1 });
UserSchema.index({ status: 1, username_key: 1 });
UserSchema.index({ status: 1, email_key: 1 });
UserSchema.index({ unconfirmed_until: 1 }, { expireAfterSeconds: 0 });
