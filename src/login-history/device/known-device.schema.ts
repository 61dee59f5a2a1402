import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

const RETENTION_SECONDS = 7_776_000;

/** A device and network from which an account was used. It outlives the session, else every login after a logout were a stranger. */
@Schema({ collection: 'known_devices', versionKey: false })
export class KnownDevice {
  @Prop({ type: Types.ObjectId, required: true })
  user: Types.ObjectId;

  /** Browser and operating system by name, device class, network: no version, for programs update themselves. */
  @Prop({ type: String, required: true })
  fingerprint: string;

  @Prop({ type: Date, required: true })
  last_seen_at: Date;
}

export const KnownDeviceSchema = SchemaFactory.createForClass(KnownDevice);
KnownDeviceSchema.index({ user: 1, fingerprint: 1 }, { unique: true });
KnownDeviceSchema.index({ last_seen_at: 1 }, { expireAfterSeconds: RETENTION_SECONDS });
