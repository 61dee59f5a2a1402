import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { Device } from '../device/device.js';
import type { Location } from '../location/location-finder.js';

/** Retention of the login history, by the specification: 90 days. */
const RETENTION_SECONDS = 7_776_000;

/** A login and at the same time the session that it opened: without this entry its tokens are invalid. */
// Not minimised: Mongoose would remove empty objects, but an unknown browser is documented as `{}`.
@Schema({ collection: 'login_histories', versionKey: false, minimize: false })
export class LoginHistory {
  _id: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  auth: Types.ObjectId;

  @Prop({ type: Types.ObjectId, required: true })
  user: Types.ObjectId;

  @Prop({ type: String, required: true })
  ip: string;

  /** `sha256:<hex>` of the latest access token, so that a stolen backup contains no usable tokens. */
  @Prop({ type: String, required: true })
  token: string;

  /** `sha256:<hex>` of the current refresh token. */
  @Prop({ type: String, required: true })
  refresh_token: string;

  @Prop({ type: Date, required: true })
  login_at: Date;

  @Prop({ type: Object })
  devices?: Device;

  @Prop({ type: Object })
  locations?: Location;

  @Prop({ type: String })
  user_agent?: string;

  /** Number of rotations of the refresh token. It is compared and incremented atomically, so that only one refresh succeeds. */
  @Prop({ type: Number, required: true })
  generation: number;

  /** When the current generation began. */
  @Prop({ type: Date, required: true })
  rotated_at: Date;

  /** The account's credential version at login; once the account's is newer, the session is invalid. */
  @Prop({ type: Number, required: true })
  credential_version: number;

  /** Written by transactions that only depend on this session, so that they conflict with those that end it. */
  @Prop({ type: Types.ObjectId })
  lock?: Types.ObjectId;
}

export const LoginHistorySchema = SchemaFactory.createForClass(LoginHistory);
LoginHistorySchema.index({ user: 1, login_at: -1, _id: -1 });
LoginHistorySchema.index({ login_at: 1 }, { expireAfterSeconds: RETENTION_SECONDS });
