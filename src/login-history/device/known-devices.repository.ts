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

/**
 * How often a use is recorded. If each login wrote its device, a thief who logs in without end would keep a lockdown, which forgets
 * the devices, from committing.
 */
const SEEN_EVERY_MS = 60_000;

/** Remembers from which devices and networks an account is used. */
@Injectable()
export class KnownDevicesRepository {
  constructor(
    @InjectModel(KnownDevice.name) private readonly model: Model<KnownDevice>,
    private readonly clock: Clock,
  ) {}

  /** Records another use of a device, to the minute. @returns false if the device is not known */
  async seeAgain(sighting: Sighting): Promise<boolean> {
    const key = keyOf(sighting);
    const known = await this.model.findOne(key, { last_seen_at: 1 }).lean<KnownDevice>();
    const isRecent = known !== null && this.clock.nowMs() - known.last_seen_at.getTime() < SEEN_EVERY_MS;
    if (!known || isRecent) return isRecent;
    const seen = await this.model.updateOne(key, { $set: { last_seen_at: this.clock.now() } });
    return seen.matchedCount === 1;
  }

  /**
   * Makes a device known. The caller's transaction locks the account's credential, or two first devices would not see each other.
   * @param hasPast whether the account may have been used from devices that are no longer known
   * @returns whether to notify the owner: the account was used before, but never from this device and network. Of parallel first
   *   uses exactly one returns true
   */
  async add(sighting: Sighting, hasPast: boolean): Promise<boolean> {
    const key = keyOf(sighting);
    const added = await this.model.updateOne(
      key,
      { $setOnInsert: { last_seen_at: this.clock.now() } },
      { upsert: true },
    );
    if (added.upsertedCount === 0) return false;
    return hasPast || (await this.model.countDocuments({ user: key.user }).limit(2)) > 1;
  }

  async forgetAll(userId: string): Promise<void> {
    await this.model.deleteMany({ user: new Types.ObjectId(userId) });
  }

  /** @returns the device's fingerprint; null if the account was never used from it */
  async findKnown(sighting: Sighting): Promise<string | null> {
    const key = keyOf(sighting);
    return (await this.model.exists(key)) === null ? null : key.fingerprint;
  }
}

function keyOf({ userId, device, network }: Sighting): Pick<KnownDevice, 'user' | 'fingerprint'> {
  const parts = [device?.browser.name, device?.os.name, device?.source, network];
  return { user: new Types.ObjectId(userId), fingerprint: parts.map((part) => part ?? '?').join('|') };
}
