import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

const RETENTION_SECONDS = 7_776_000;
export const KNOWN_DEVICE_RETENTION_MS = RETENTION_SECONDS * 1000;

/** A device and network from which an account was used. It outlives the session, or every login after a logout would look new. */
@Schema({ collection: 'known_devices', versionKey: false })
export class KnownDevice {
  @Prop({ type: Types.ObjectId, required: true })
  user: Types.ObjectId;

  /** Names of browser and operating system, device class, network; without versions, since programs update themselves. */
  @Prop({ type: String, required: true })
  fingerprint: string;

  @Prop({ type: Date, required: true })
  last_seen_at: Date;
}

export const KnownDeviceSchema = SchemaFactory.createForClass(KnownDevice);
KnownDeviceSchema.index({ user: 1, fingerprint: 1 }, { unique: true });
KnownDeviceSchema.index({ last_seen_at: 1 }, { expireAfterSeconds: RETENTION_SECONDS });
