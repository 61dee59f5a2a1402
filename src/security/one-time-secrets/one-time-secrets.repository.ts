import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import { OneTimeSecret, type SecretPurpose } from './one-time-secret.schema.js';

const MAX_TRIES = 5;
const MIN_PAUSE_MS = 60_000;
const QUOTA = 5;
const QUOTA_WINDOW_MS = 3_600_000;

/** A secret as it was read; it can be consumed only if it has not been replaced since. */
export interface FoundSecret {
  id: string;
  subject: string;
  hash: string;
}

@Injectable()
export class OneTimeSecretsRepository {
  constructor(
    @InjectModel(OneTimeSecret.name) private readonly model: Model<OneTimeSecret>,
    private readonly clock: Clock,
  ) {}

  /** Replaces the subject's secret, regardless of the quota. */
  async replace(subject: string, purpose: SecretPurpose, hash: string, ttlMs: number): Promise<void> {
    await this.model.updateOne({ subject: new Types.ObjectId(subject), purpose }, this.issuing(hash, ttlMs), {
      upsert: true,
    });
  }

  /**
   * The same within the quota: at least 60 s since the last issue, at most 5 issues an hour. To be used in a transaction, so that of
   * parallel calls one succeeds: the others conflict with it, run again, and find the quota used up. The database is asked the same
   * whether or not the subject has had one before: of addresses without an account, most have not.
   * @returns whether it was issued
   */
  async replaceWithinQuota(subject: string, purpose: SecretPurpose, hash: string, ttlMs: number): Promise<boolean> {
    if (!(await this.isWithinQuota(subject, purpose))) return false;
    await this.replace(subject, purpose, hash, ttlMs);
    return true;
  }

  /** Makes the subject's secret unusable; its quota goes on. */
  async invalidate(subject: string, purpose: SecretPurpose): Promise<void> {
    await this.model.updateOne({ subject: new Types.ObjectId(subject), purpose }, { $set: { hash: null } });
  }

  async deleteAll(subject: string): Promise<void> {
    await this.model.deleteMany({ subject: new Types.ObjectId(subject) });
  }

  /** Transfers a subject's times of issue to another subject, so that its quota goes on; the secrets become unusable. */
  async handOver(from: string, to: string): Promise<void> {
    await this.model.updateMany(
      { subject: new Types.ObjectId(from) },
      { $set: { subject: new Types.ObjectId(to), hash: null } },
    );
  }

  /**
   * Takes one of the secret's tries before anything is compared, so that parallel guesses cannot share one.
   * @returns null when there is no live secret, or no try left
   */
  async reserveTry(subject: string, purpose: SecretPurpose): Promise<FoundSecret | null> {
    const found = await this.model.findOneAndUpdate(
      {
        subject: new Types.ObjectId(subject),
        purpose,
        hash: { $ne: null },
        tries_left: { $gt: 0 },
        expires_at: { $gt: this.clock.now() },
      },
      { $inc: { tries_left: -1 } },
    );
    return found ? toFoundSecret(found) : null;
  }

  /** Gives a try back that was taken and not used; nothing if the secret was replaced or consumed meanwhile. */
  async giveTryBack({ id, hash }: FoundSecret): Promise<void> {
    await this.model.updateOne({ _id: new Types.ObjectId(id), hash }, { $inc: { tries_left: 1 } });
  }

  async findLiveByHash(purpose: SecretPurpose, hash: string): Promise<FoundSecret | null> {
    const found = await this.model.findOne({ purpose, hash, expires_at: { $gt: this.clock.now() } });
    return found ? toFoundSecret(found) : null;
  }

  /** @returns true for exactly one of any number of callers */
  async consumeIfUnused({ id, hash }: FoundSecret): Promise<boolean> {
    const result = await this.model.updateOne(
      { _id: new Types.ObjectId(id), hash, expires_at: { $gt: this.clock.now() } },
      { $set: { hash: null } },
    );
    return result.modifiedCount === 1;
  }

  async isWithinQuota(subject: string, purpose: SecretPurpose): Promise<boolean> {
    const nowMs = this.clock.nowMs();
    return (await this.nextIssueAt(subject, purpose, nowMs)).getTime() <= nowMs;
  }

  /** When the quota allows another secret; never in the past. */
  async nextIssueAt(subject: string, purpose: SecretPurpose, nowMs = this.clock.nowMs()): Promise<Date> {
    const found = await this.model.findOne({ subject: new Types.ObjectId(subject), purpose });
    // What lies further ahead was issued by a clock that has been set back since: it must not keep the owner without mails.
    const isCounted = (issuedAt: Date) => issuedAt.getTime() <= nowMs + MIN_PAUSE_MS;
    const issues = (found?.issued_at ?? []).filter(isCounted);
    const afterPause = found && isCounted(found.last_issued_at) ? found.last_issued_at.getTime() + MIN_PAUSE_MS : 0;
    const afterWindow = issues.length < QUOTA ? 0 : (issues[0] as Date).getTime() + QUOTA_WINDOW_MS;
    return new Date(Math.max(afterPause, afterWindow, nowMs));
  }

  private issuing(hash: string, ttlMs: number) {
    const now = this.clock.now();
    return {
      $set: {
        hash,
        tries_left: MAX_TRIES,
        expires_at: new Date(now.getTime() + ttlMs),
        last_issued_at: now,
        purge_at: new Date(now.getTime() + Math.max(ttlMs, QUOTA_WINDOW_MS)),
      },
      $push: { issued_at: { $each: [now], $slice: -QUOTA } },
    };
  }
}

function toFoundSecret(document: { _id: Types.ObjectId; subject: Types.ObjectId; hash: string | null }): FoundSecret {
  return { id: document._id.toHexString(), subject: document.subject.toHexString(), hash: document.hash ?? '' };
}
