import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { SessionEnd } from '../../security/index.js';

/** Why a session ended, and nothing else of it; kept until its tokens have expired, so that clients can be told the reason. */
@Schema({ collection: 'ended_sessions', versionKey: false })
export class EndedSession {
  /** The session's id. */
  _id: Types.ObjectId;

  @Prop({ type: String, required: true })
  reason: SessionEnd;

  @Prop({ type: Date, required: true })
  purge_at: Date;
}

export const EndedSessionSchema = SchemaFactory.createForClass(EndedSession);
EndedSessionSchema.index({ purge_at: 1 }, { expireAfterSeconds: 0 });
