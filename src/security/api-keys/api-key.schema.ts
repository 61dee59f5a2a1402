import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A key that an administrator issued. Only its SHA-256 is stored, which is enough for 256 random bits. */
@Schema({ collection: 'api_keys', versionKey: false })
export class ApiKey {
  _id: Types.ObjectId;

  /** Appears in logs; the key never does. */
  @Prop({ type: String, required: true })
  name: string;

  /** SHA-256 of the key, hexadecimal. */
  @Prop({ type: String, required: true })
  digest: string;

  /** SHA-256 of the key that a rotation replaced, valid until `previous_until`. */
  @Prop({ type: String, default: null })
  previous_digest: string | null;

  @Prop({ type: Date, default: null })
  previous_until: Date | null;

  @Prop({ type: Date, required: true })
  created_at: Date;

  /** The administrator; null for a key that was issued on the command line. */
  @Prop({ type: Types.ObjectId, default: null })
  created_by: Types.ObjectId | null;

  @Prop({ type: Date, default: null })
  rotated_at: Date | null;

  @Prop({ type: Date, default: null })
  expires_at: Date | null;

  @Prop({ type: Date, default: null })
  last_used_at: Date | null;
}

export const ApiKeySchema = SchemaFactory.createForClass(ApiKey);
ApiKeySchema.index({ name: 1 }, { unique: true });
ApiKeySchema.index({ created_at: -1, _id: -1 });
