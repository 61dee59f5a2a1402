import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import { recentlyUsed } from '../../common/recently-used/index.js';
import { coalesced, RecordCache } from '../../infrastructure/cache/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { SecurityEvents } from '../events/security-events.js';
import { CallerAuthority } from '../roles/caller-authority.js';
import { digestOf, idOfApiKey, isSameDigest, newApiKey, newApiKeyId } from './api-key.js';
import type { ApiKey } from './api-key.schema.js';
import { type ApiKeyRecord, apiKeyRecordKey, readApiKeyRecord, toApiKeyRecord } from './api-key-record.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** A new key, which is shown once, and its stored record. */
export interface IssuedApiKey {
  key: string;
  stored: ApiKey;
}

const RECORD_TTL_MS = 60_000;
/** How exact `last_used_at` is: writing it at every request would cost more than the request. */
const USE_RECORDED_EVERY_MS = 600_000;
const KEYS_REMEMBERED = 1_000;

/** The keys of calling applications: those of the settings, and those that administrators issue. */
@Injectable()
export class ApiKeys implements OnCleanSlate {
  private readonly shareRead = coalesced<ApiKeyRecord | null>();
  private readonly useRecordedAt = recentlyUsed<Date>(KEYS_REMEMBERED);
  /** Digests of valid keys, so that a digest need not be computed at each request. Whether it is still valid is always checked. */
  private readonly digests = recentlyUsed<Buffer>(KEYS_REMEMBERED);

  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly cache: RecordCache,
    private readonly config: Config,
    private readonly authority: CallerAuthority,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  /** Begins to read the records that {@link nameOf} will need. */
  readAhead(key: string): void {
    const id = idOfApiKey(key);
    if (id) this.cache.readAhead([apiKeyRecordKey(id)]);
  }

  /** @returns the name of the key; null if it is unknown, revoked or expired */
  nameOf(key: string): Promisable<string | null> {
    const remembered = this.digests.get(key);
    const digest = remembered ?? digestOf(key);
    return andThen(this.nameBy(digest, key), (name) => {
      if (name !== null && !remembered) this.digests.set(key, digest);
      return name;
    });
  }

  /** @throws ApiError `validation_failed` if the name is taken, or the expiry is in the past */
  async issue(name: string, { createdBy = null, expiresAt = null }: IssueOptions = {}): Promise<IssuedApiKey> {
    if (this.config.apiKeys.some((key) => key.name === name))
      throw ApiError.invalidField('name', 'name is already taken');
    // Not written as `<=`: an invalid date (such as a leap second) compares false to everything, and must be refused.
    if (expiresAt && !(expiresAt > this.clock.now()))
      throw ApiError.invalidField('expires_at', 'expires_at must be in the future');
    const id = newApiKeyId();
    const key = newApiKey(id);
    const digest = digestOf(key).toString('hex');
    const stored = await this.recorded('issued', () =>
      this.repository.insert({ id, name, digest, createdAt: this.clock.now(), createdBy, expiresAt }),
    );
    return { key, stored };
  }

  /**
   * Replaces the key of a name by a new one.
   * @param overlapMs how long the old key stays valid; with 0 it is invalid at once
   * @throws ApiError `not_found`, or `validation_failed` for a key that has expired, or an overlap while an earlier one is running
   */
  async rotate(id: string, overlapMs: number): Promise<IssuedApiKey> {
    const key = newApiKey(id);
    const now = this.clock.now();
    const previousUntil = new Date(now.getTime() + overlapMs);
    const stored = await this.recorded('rotated', () =>
      this.repository.rotate(id, digestOf(key).toString('hex'), now, previousUntil),
    );
    if (!stored) {
      const present = await this.repository.findById(id);
      if (!present) throw new ApiError('not_found');
      if (present.expires_at && present.expires_at <= now)
        throw ApiError.invalidField('id', 'id is that of a key that has expired: revoke it and issue another one');
      throw ApiError.invalidField('overlap_seconds', 'overlap_seconds must be 0 while an earlier overlap is running');
    }
    await this.cache.invalidate(apiKeyRecordKey(id));
    return { key, stored };
  }

  /** The key is refused on every instance once this returns. @throws ApiError `not_found`; then too it is refused everywhere */
  async revoke(id: string): Promise<ApiKey> {
    const removed = await this.recorded('revoked', () => this.repository.remove(id));
    // Even if it was removed already: the process that removed it may have died before it invalidated the cache.
    await this.cache.invalidate(apiKeyRecordKey(id));
    if (!removed) throw new ApiError('not_found');
    return removed;
  }

  async onCleanSlate(): Promise<void> {
    this.useRecordedAt.clear();
    await this.cache.forgetAll('api-key:');
  }

  private nameBy(digest: Buffer, key: string): Promisable<string | null> {
    const configured = this.configuredNameOf(digest);
    if (configured) return configured;
    const id = idOfApiKey(key);
    if (!id) return null;
    return andThen(this.record(id), (record) => {
      if (!record || !this.isGood(record, digest)) return null;
      this.recordUse(id);
      return record.name;
    });
  }

  /** Compares all keys, in constant time, so that neither a key's place in the list nor its beginning can be measured. */
  private configuredNameOf(digest: Buffer): string | null {
    let name: string | null = null;
    for (const key of this.config.apiKeys) if (timingSafeEqual(key.digest, digest)) name = key.name;
    return name;
  }

  private record(id: string): Promisable<ApiKeyRecord | null> {
    return andThen(this.cache.getMany([apiKeyRecordKey(id)]), ([cached]) => {
      return readApiKeyRecord(cached) ?? this.shareRead(id, () => this.recordFromStorage(id));
    });
  }

  private async recordFromStorage(id: string): Promise<ApiKeyRecord | null> {
    const ticket = await this.cache.startFill(apiKeyRecordKey(id));
    const stored = await this.repository.findById(id);
    if (!stored) return null;
    const record = toApiKeyRecord(stored);
    await this.cache.fill(ticket, record, RECORD_TTL_MS);
    return record;
  }

  private isGood(record: ApiKeyRecord, digest: Buffer): boolean {
    const now = this.clock.nowMs();
    if (record.expires_at !== null && record.expires_at <= now) return false;
    const isCurrent = isSameDigest(record.digest, digest);
    const isPrevious = record.previous_digest !== null && isSameDigest(record.previous_digest, digest);
    return isCurrent || (isPrevious && now < record.previous_until);
  }

  private recordUse(id: string): void {
    const now = this.clock.now();
    const recordedMs = this.useRecordedAt.get(id)?.getTime() ?? 0;
    if (now.getTime() - recordedMs < USE_RECORDED_EVERY_MS) return;
    this.useRecordedAt.set(id, now);
    // Not awaited: if the database fails, the date is less exact, and no request fails.
    void this.repository.recordUse(id, now).catch(() => undefined);
  }

  /** Makes a change together with its event. @param change null if there is nothing to change */
  private async recorded<T extends ApiKey | null>(what: string, change: () => Promise<T>): Promise<T> {
    return this.authority.decide(async () => {
      const changed = await change();
      if (changed) {
        const detail = `${what} ${changed.name} ${changed._id.toHexString()}`;
        await this.events.recordWith({ kind: 'api_key_changed', outcome: 'success', detail });
      }
      return changed;
    });
  }
}

interface IssueOptions {
  /** User id of the administrator; null on the command line. */
  createdBy?: string | null;
  expiresAt?: Date | null;
}
