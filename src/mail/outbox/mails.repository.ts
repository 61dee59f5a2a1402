import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, type QueryFilter, Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import { MAIL_KINDS, type MailKind, SUPERSEDED_BY } from '../mail-kinds.js';
import { MAIL_STATES, type MailState, StoredMail } from './stored-mail.schema.js';

/** After this time without a result a worker counts as dead, and another one may take its mail. */
export const LEASE_MS = 15_000;
const KEPT_AFTER_END_MS = 7 * 86_400_000;
const MOST_COUNTED = 10_000;

export interface NewMail {
  kind: MailKind;
  to: string;
  sealed: string;
  expiresAt: Date;
  isDecoy: boolean;
}

export interface LeasedMail {
  id: string;
  kind: MailKind;
  to: string;
  sealed: string;
  /** Number of attempts, the one about to begin included. */
  attempts: number;
  expiresAt: Date;
}

export interface ListedMail extends Pick<
  StoredMail,
  'kind' | 'to' | 'state' | 'attempts' | 'created_at' | 'next_attempt_at' | 'expires_at'
> {
  id: string;
  /** What the mail server last said. */
  last_error: string | null;
}

@Injectable()
export class MailsRepository {
  constructor(
    @InjectModel(StoredMail.name) private readonly model: Model<StoredMail>,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a mail, and marks those that it supersedes. One of these that is being sent at this moment may still arrive, but is
   * not tried again.
   */
  async insert({ kind, to, sealed, expiresAt, isDecoy }: NewMail): Promise<void> {
    const now = this.clock.now();
    await this.model.updateMany(
      { to_key: keyOf(to), kind: { $in: SUPERSEDED_BY[kind] }, state: { $in: ['waiting', 'sending'] } },
      { $set: { state: 'superseded', sealed: null } },
    );
    await this.model.create({
      kind,
      to,
      to_key: keyOf(to),
      sealed,
      state: isDecoy ? 'decoy' : 'waiting',
      next_attempt_at: now,
      expires_at: expiresAt,
      created_at: now,
      purge_at: isDecoy ? expiresAt : new Date(expiresAt.getTime() + KEPT_AFTER_END_MS),
    });
  }

  /** Removes all mails to an address, in whatever case it was typed, sent or not. @returns how many */
  async deleteTo(address: string): Promise<number> {
    return (await this.model.deleteMany({ to_key: keyOf(address) })).deletedCount;
  }

  /** @returns whether {@link leaseNext} would find a mail */
  async isAnyDue(inHand: Iterable<string> = []): Promise<boolean> {
    const now = this.clock.now();
    const due = [dueAt(now), abandonedAt(now, inHand)].map((filter) => this.model.exists(sendable(filter, now)));
    return (await Promise.all(due)).some((found) => found !== null);
  }

  /**
   * Leases the next mail that is due, or whose worker has died, to this worker alone.
   * @param inHand ids of mails that this worker is sending: their leases may have run out, if its clock was set forward
   */
  async leaseNext(inHand: Iterable<string> = []): Promise<LeasedMail | null> {
    const now = this.clock.now();
    const mail = (await this.lease(dueAt(now), now)) ?? (await this.lease(abandonedAt(now, inHand), now));
    if (!mail?.sealed) return null;
    return {
      id: mail._id.toHexString(),
      kind: mail.kind,
      to: mail.to,
      sealed: mail.sealed,
      attempts: mail.attempts,
      expiresAt: mail.expires_at,
    };
  }

  /** Mails that were not sent: first those that still will be; the oldest of each state first. */
  async listUnsent(limit: number): Promise<ListedMail[]> {
    // In descending alphabetical order `waiting` comes first and `expired` last.
    const sort = { state: -1, created_at: 1 } as const;
    const mails = await this.find({ state: { $in: ['waiting', 'sending', 'failed', 'expired'] } }, sort, limit);
    return mails.map(withoutSecrets);
  }

  /** Mails to an address that are still stored, in any state or one of these, the newest first. */
  async listTo(
    address: string,
    limit: number,
    states: readonly MailState[] = MAIL_STATES,
  ): Promise<(ListedMail & { sent_at: Date | null })[]> {
    const mails = await this.find({ to_key: keyOf(address), state: { $in: states } }, { created_at: -1 }, limit);
    return mails.map((mail) => ({ ...withoutSecrets(mail), sent_at: mail.sent_at ?? null }));
  }

  /** @returns how many mails are still to be sent, all of them or those that are older; 10,000 at most, since each is read */
  async countUnsent(olderThanMs?: number): Promise<number> {
    const isOlder = olderThanMs !== undefined && {
      created_at: { $lte: new Date(this.clock.nowMs() - olderThanMs) },
    };
    return this.model.countDocuments({ state: { $in: ['waiting', 'sending'] }, ...isOlder }).limit(MOST_COUNTED);
  }

  async renewLease(mail: LeasedMail): Promise<void> {
    await this.model.updateOne(leasedAs(mail), { $set: { leased_until: new Date(this.clock.nowMs() + LEASE_MS) } });
  }

  async markSent(id: string): Promise<void> {
    await this.end({ _id: new Types.ObjectId(id) }, 'sent', { sent_at: this.clock.now() });
  }

  /** Does nothing if the mail has been superseded meanwhile, or another worker has it. */
  async markFailed(mail: LeasedMail, reason: string): Promise<void> {
    await this.end(leasedAs(mail), 'failed', { last_error: reason });
  }

  /** The same. */
  async retryAt(mail: LeasedMail, next_attempt_at: Date, reason: string): Promise<void> {
    await this.model.updateOne(leasedAs(mail), {
      $set: { state: 'waiting', next_attempt_at, last_error: reason },
      $unset: { leased_until: 1 },
    });
  }

  /** Gives up waiting mails whose codes have expired. @returns how many */
  async expireOutdated(): Promise<number> {
    const result = await this.model.updateMany(
      { state: { $in: ['waiting', 'sending'] }, expires_at: { $lte: this.clock.now() } },
      { $set: { state: 'expired', sealed: null } },
    );
    return result.modifiedCount;
  }

  private async find(
    filter: QueryFilter<StoredMail>,
    sort: Partial<Record<keyof StoredMail, 1 | -1>>,
    limit: number,
  ): Promise<StoredMail[]> {
    return this.model.find(filter).sort(sort).limit(limit).lean<StoredMail[]>();
  }

  private async lease(filter: QueryFilter<StoredMail>, now: Date): Promise<StoredMail | null> {
    return this.model.findOneAndUpdate(
      sendable(filter, now),
      { $set: { state: 'sending', leased_until: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } },
      { sort: { next_attempt_at: 1 }, returnDocument: 'after' },
    );
  }

  private async end(mail: QueryFilter<StoredMail>, state: MailState, more: Partial<StoredMail>): Promise<void> {
    await this.model.updateOne(mail, { $set: { state, sealed: null, ...more }, $unset: { leased_until: 1 } });
  }
}

/**
 * A newer release, which may run beside this one, sends kinds of its own itself. Where none does, they are read in vain until they
 * expire.
 */
const sendable = (filter: QueryFilter<StoredMail>, now: Date): QueryFilter<StoredMail> => ({
  ...filter,
  kind: { $in: MAIL_KINDS },
  expires_at: { $gt: now },
});

const dueAt = (now: Date): QueryFilter<StoredMail> => ({ state: 'waiting', next_attempt_at: { $lte: now } });

/** Matches the mail as long as this lease of it is the last. */
const leasedAs = ({ id, attempts }: LeasedMail): QueryFilter<StoredMail> => ({
  _id: new Types.ObjectId(id),
  state: 'sending',
  attempts,
});

/** Matches mails whose worker has died. */
const abandonedAt = (now: Date, inHand: Iterable<string>): QueryFilter<StoredMail> => {
  const others = Array.from(inHand, (id) => new Types.ObjectId(id));
  return { state: 'sending', leased_until: { $lte: now }, ...(others.length > 0 && { _id: { $nin: others } }) };
};

function withoutSecrets(mail: StoredMail): ListedMail {
  const { _id, kind, to, state, attempts, created_at, next_attempt_at, expires_at, last_error } = mail;
  return {
    id: _id.toHexString(),
    kind,
    to,
    state,
    attempts,
    created_at,
    next_attempt_at,
    expires_at,
    last_error: last_error ?? null,
  };
}

function keyOf(address: string): string {
  return address.toLowerCase();
}
