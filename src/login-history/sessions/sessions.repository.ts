import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { knownSessionEnd, type SessionEnd, SessionReader, type StoredSession } from '../../security/index.js';
import type { Device } from '../device/device.js';
import type { Location } from '../location/location-finder.js';
import { EndedSession } from './ended-session.schema.js';
import { LoginHistory } from './login-history.schema.js';

export interface NewSession {
  sessionId: string;
  userId: string;
  authId: string;
  ip: string;
  userAgent?: string;
  device?: Device;
  location?: Location;
  accessToken: string;
  refreshToken: string;
  loggedInAt: Date;
  credentialVersion: number;
}

export interface CurrentGeneration {
  sessionId: string;
  userId: string;
  generation: number;
}

/** The part of a session that a refresh depends on. */
export interface SessionGeneration {
  userId: string;
  generation: number;
  rotatedAt: Date;
  loggedInAt: Date;
  credentialVersion: number;
}

/** Sessions that were ended together. */
export interface EndedSessions {
  /** Those of which somebody may still hold a token; others ran out by themselves. */
  ids: string[];
  /** Whether the account may have more to end. */
  hasMore: boolean;
}

type FoundSession = Pick<LoginHistory, '_id' | 'rotated_at'>;

interface OfAccount {
  user: Types.ObjectId;
  credential_version?: { $not: { $gte: number } };
}

/**
 * Sessions that are ended in one transaction. Of six thousand, it took longer than an answer may: whoever has a password could make
 * so many that their owner cannot end them.
 */
export const ENDED_TOGETHER = 500;

/** The form in which tokens are stored. */
function tokenDigest(token: string): string {
  return `sha256:${hash('sha256', token)}`;
}

/** Sessions in storage. Implements the guards' port SessionReader. */
@Injectable()
export class SessionsRepository extends SessionReader {
  private readonly endedRetentionMs: number;
  private readonly sessionMaxAgeMs: number;

  constructor(
    @InjectModel(LoginHistory.name) private readonly entries: Model<LoginHistory>,
    @InjectModel(EndedSession.name) private readonly ended: Model<EndedSession>,
    private readonly clock: Clock,
    config: Config,
  ) {
    super();
    this.endedRetentionMs = Math.max(config.tokens.refreshTtlMs, config.tokens.accessTtlMs);
    this.sessionMaxAgeMs = config.tokens.sessionMaxAgeMs;
  }

  nextId(): string {
    return new Types.ObjectId().toHexString();
  }

  async insert(session: NewSession): Promise<void> {
    await this.entries.create({
      _id: new Types.ObjectId(session.sessionId),
      auth: new Types.ObjectId(session.authId),
      user: new Types.ObjectId(session.userId),
      ip: session.ip,
      token: tokenDigest(session.accessToken),
      refresh_token: tokenDigest(session.refreshToken),
      login_at: session.loggedInAt,
      devices: session.device,
      locations: session.location,
      user_agent: session.userAgent,
      generation: 0,
      rotated_at: session.loggedInAt,
      credential_version: session.credentialVersion,
    });
  }

  override async readSession(sessionId: string): Promise<StoredSession> {
    const entry = await this.entries
      .findById(sessionId, { user: 1, credential_version: 1 })
      .lean<Pick<LoginHistory, 'user' | 'credential_version'>>();
    return entry ? toStoredSession(entry) : { ended: await this.endOf(sessionId) };
  }

  override async lockSession(sessionId: string): Promise<StoredSession> {
    const entry = await this.entries
      .findByIdAndUpdate(sessionId, { $set: { lock: new Types.ObjectId() } })
      .lean<Pick<LoginHistory, 'user' | 'credential_version'>>();
    return entry ? toStoredSession(entry) : { ended: await this.endOf(sessionId) };
  }

  async findGeneration(sessionId: string): Promise<SessionGeneration | null> {
    const entry = await this.entries.findById(sessionId).lean<LoginHistory>();
    return entry && toGeneration(entry);
  }

  /** @returns why a session ended */
  async endOf(sessionId: string): Promise<SessionEnd> {
    const ended = await this.ended.findById(sessionId).lean<EndedSession>();
    return knownSessionEnd(ended?.reason ?? 'session_revoked');
  }

  /**
   * Moves a session to its next generation if it still has the given one. Of any number of parallel refreshes exactly one succeeds.
   * The caller checks the credential version.
   */
  async rotateIfCurrent(
    { sessionId, userId, generation }: CurrentGeneration,
    rotatedAt: Date,
    tokens: { accessToken: string; refreshToken: string },
  ): Promise<boolean> {
    const result = await this.entries.updateOne(
      { _id: new Types.ObjectId(sessionId), user: new Types.ObjectId(userId), generation },
      {
        $set: {
          generation: generation + 1,
          rotated_at: rotatedAt,
          token: tokenDigest(tokens.accessToken),
          refresh_token: tokenDigest(tokens.refreshToken),
        },
      },
    );
    return result.modifiedCount === 1;
  }

  /**
   * Keeps a session valid through a change of the password.
   * @returns false if the session has ended, or an earlier change was to end it and has not got to it yet
   */
  async renewCredential(sessionId: string, credentialVersion: number): Promise<boolean> {
    const { matchedCount } = await this.entries.updateOne(
      { _id: new Types.ObjectId(sessionId), credential_version: credentialVersion - 1 },
      { $set: { credential_version: credentialVersion } },
    );
    return matchedCount === 1;
  }

  /** @returns why it ended: the reason that was stored first */
  async delete(sessionId: string, reason: SessionEnd): Promise<SessionEnd> {
    const ended = await this.ended
      .findOneAndUpdate({ _id: new Types.ObjectId(sessionId) }, this.ending(reason), {
        upsert: true,
        returnDocument: 'after',
      })
      .lean<EndedSession>();
    await this.withdraw(sessionId);
    return knownSessionEnd(ended?.reason ?? reason);
  }

  /** Removes a session that nobody was told of. Unlike {@link delete}, it does not remember why. */
  async withdraw(sessionId: string): Promise<void> {
    await this.entries.deleteOne({ _id: new Types.ObjectId(sessionId) });
  }

  /**
   * Ends sessions of an account, the newest first, and removes their entries. To be repeated while there are more. Older entries
   * stay, see {@link deleteOld}.
   * @param lastId a session that stays while there are more
   */
  async deleteAll(userId: string, reason: SessionEnd, lastId?: string): Promise<EndedSessions> {
    return this.deleteWhere({ user: new Types.ObjectId(userId) }, reason, lastId);
  }

  /**
   * Locks what {@link deleteAll} ends next. To be the first in a transaction, which then begins here: so that none of them is refreshed
   * between its beginning and its end, they are looked up outside of it.
   */
  async lockAll(userId: string): Promise<void> {
    const newest = await this.newest({ user: new Types.ObjectId(userId) }).session(null);
    const lock = new Types.ObjectId();
    await this.entries.updateMany({ _id: { $in: newest.map(({ _id }) => _id) } }, { $set: { lock } });
  }

  /** The same of the sessions of older credential versions. */
  async deleteOutdated(userId: string, credentialVersion: number, reason: SessionEnd): Promise<EndedSessions> {
    return this.deleteWhere(outdated(userId, credentialVersion), reason);
  }

  /** @returns those that {@link deleteOutdated} would end next */
  async outdatedIds(userId: string, credentialVersion: number): Promise<string[]> {
    const found = await this.newest(outdated(userId, credentialVersion));
    return this.liveOf(found).map((id) => id.toHexString());
  }

  private newest(filter: OfAccount) {
    return this.entries
      .find({ ...filter, login_at: { $gte: this.oldestLogin() } }, { rotated_at: 1 })
      .sort({ login_at: -1, _id: -1 })
      .limit(ENDED_TOGETHER)
      .lean<FoundSession[]>();
  }

  private async deleteWhere(filter: OfAccount, reason: SessionEnd, lastId?: string): Promise<EndedSessions> {
    const newest = await this.newest(filter);
    const hasMore = newest.length === ENDED_TOGETHER;
    const found = hasMore ? newest.filter(({ _id }) => !_id.equals(lastId)) : newest;
    const live = this.liveOf(found);
    await this.rememberEnds(live, reason);
    return { ids: await this.deleteFound(found, live), hasMore };
  }

  /**
   * Removes entries of logins too long ago for a session to be left. Of some an access token may be, if the greatest age of sessions has
   * become shorter.
   */
  async deleteOld(userId: string): Promise<EndedSessions> {
    const old = { user: new Types.ObjectId(userId), login_at: { $lt: this.oldestLogin() } };
    const found = await this.entries.find(old, { rotated_at: 1 }).limit(ENDED_TOGETHER).lean<FoundSession[]>();
    return { ids: await this.deleteFound(found, this.liveOf(found)), hasMore: found.length === ENDED_TOGETHER };
  }

  private async deleteFound(found: FoundSession[], live: Types.ObjectId[]): Promise<string[]> {
    await this.entries.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    return live.map((id) => id.toHexString());
  }

  private liveOf(found: FoundSession[]): Types.ObjectId[] {
    const ranOutBefore = new Date(this.clock.nowMs() - this.endedRetentionMs);
    return found.filter(({ rotated_at: rotatedAt }) => rotatedAt >= ranOutBefore).map(({ _id }) => _id);
  }

  /** The login of the oldest session that can be left. */
  private oldestLogin(): Date {
    return new Date(this.clock.nowMs() - this.sessionMaxAgeMs);
  }

  private async rememberEnds(ids: Types.ObjectId[], reason: SessionEnd): Promise<void> {
    if (ids.length === 0) return;
    const update = this.ending(reason);
    await this.ended.bulkWrite(ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } })));
  }

  private ending(reason: SessionEnd) {
    return { $setOnInsert: { reason, purge_at: new Date(this.clock.nowMs() + this.endedRetentionMs) } };
  }
}

function outdated(userId: string, credentialVersion: number): OfAccount {
  // Not `$lt`, which does not find an entry without a version.
  return { user: new Types.ObjectId(userId), credential_version: { $not: { $gte: credentialVersion } } };
}

function toStoredSession({
  user,
  credential_version,
}: Pick<LoginHistory, 'user' | 'credential_version'>): StoredSession {
  return { userId: user.toHexString(), credentialVersion: credential_version };
}

function toGeneration(entry: LoginHistory): SessionGeneration {
  return {
    userId: entry.user.toHexString(),
    generation: entry.generation,
    rotatedAt: entry.rotated_at,
    loggedInAt: entry.login_at,
    credentialVersion: entry.credential_version,
  };
}
