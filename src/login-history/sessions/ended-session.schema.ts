import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { SessionEnd } from '../../security/index.js';

/** Why a session ended, kept for as long as its tokens are about, so that a client can be told. Nothing else of it. */
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
