import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { SECURITY_EVENT_KINDS, type SecurityEventKind } from './security-event-kinds.js';

const RETENTION_SECONDS = 7_776_000;

/** Who did what, when and from where, and its outcome. It contains no secret, and no name as somebody typed it. */
@Schema({ collection: 'security_events', versionKey: false })
export class SecurityEvent {
  _id: Types.ObjectId;

  @Prop({ type: String, enum: SECURITY_EVENT_KINDS, required: true })
  kind: SecurityEventKind;

  @Prop({ type: String, enum: ['success', 'failure'], required: true })
  outcome: 'success' | 'failure';

  @Prop({ type: Date, required: true })
  at: Date;

  /** The account concerned, where there is one. */
  @Prop({ type: Types.ObjectId, default: null })
  user: Types.ObjectId | null;

  /** The account of the request's token; an administrator if `user` is somebody else. */
  @Prop({ type: Types.ObjectId, default: null })
  by: Types.ObjectId | null;

  @Prop({ type: String, default: null })
  session: string | null;

  @Prop({ type: String, default: null })
  ip: string | null;

  @Prop({ type: String, default: null })
  request_id: string | null;

  /** Error code, route, or the like. */
  @Prop({ type: String, default: null })
  detail: string | null;
}

export const SecurityEventSchema = SchemaFactory.createForClass(SecurityEvent);
SecurityEventSchema.index({ at: -1 }, { expireAfterSeconds: RETENTION_SECONDS });
// One index for each way to list events. The TTL index above cannot serve as the first, since it must have a single field.
SecurityEventSchema.index({ at: -1, _id: -1 });
SecurityEventSchema.index({ user: 1, at: -1, _id: -1 });
SecurityEventSchema.index({ kind: 1, at: -1, _id: -1 });
SecurityEventSchema.index({ user: 1, kind: 1, at: -1, _id: -1 });
// With `by`, user and kind are looked for among what one account did in 90 days: no index for each combination.
SecurityEventSchema.index({ by: 1, at: -1, _id: -1 });
