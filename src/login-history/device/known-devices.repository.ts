import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import type { Device } from './device.js';
import { KnownDevice } from './known-device.schema.js';

export interface Sighting {
  userId: string;
  device: Device | undefined;
  network: string;
}

/** Remembers from where an account is used. */
@Injectable()
export class KnownDevicesRepository {
  constructor(
    @InjectModel(KnownDevice.name) private readonly model: Model<KnownDevice>,
    private readonly clock: Clock,
  ) {}

  /**
   * Records that the account was used from there.
   * @returns whether that is worth a word to the owner: a device and network never seen, on an account that has others.
   * Of parallel sightings of one newcomer exactly one is told so.
   */
  async see(sighting: Sighting): Promise<boolean> {
    const { user, fingerprint } = keyOf(sighting);
    const seen = await this.model.updateOne(
      { user, fingerprint },
      { $set: { last_seen_at: this.clock.now() } },
      { upsert: true },
    );
    if (seen.upsertedCount === 0) return false;
    return (await this.model.countDocuments({ user }).limit(2)) > 1;
  }

  async forgetAll(userId: string): Promise<void> {
    await this.model.deleteMany({ user: new Types.ObjectId(userId) });
  }

  /** @returns the fingerprint under which the device is known, or null */
  async findKnown(sighting: Sighting): Promise<string | null> {
    const key = keyOf(sighting);
    return (await this.model.exists(key)) === null ? null : key.fingerprint;
  }
}

function keyOf({ userId, device, network }: Sighting): Pick<KnownDevice, 'user' | 'fingerprint'> {
  const parts = [device?.browser.name, device?.os.name, device?.source, network];
  return { user: new Types.ObjectId(userId), fingerprint: parts.map((part) => part ?? '?').join('|') };
}
