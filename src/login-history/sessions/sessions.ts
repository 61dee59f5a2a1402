import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { msToWait } from '../../common/http/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import {
  accountTurn,
  Authenticator,
  isOutdated,
  LIVE_SESSION_TTL_MS,
  type Principal,
  type SessionEnd,
} from '../../security/index.js';
import { type EndedSessions, SessionsRepository } from './sessions.repository.js';

const REPEATED_EVERY_MS = 1_000;

/**
 * Runs work in a transaction, maybe together with something else.
 * @param lock begins the transaction: refreshes of what it has locked wait for the end, and cannot make the work conflict
 */
export type RunTransaction = <T>(work: () => Promise<T>, lock?: () => Promise<unknown>) => Promise<T>;

/**
 * Ends sessions. When a method returns, they have ended in storage and in every cache, but for very many that are too old anyway, and
 * those of an old password of which the database has failed or takes long to remove some: storage lets nobody in with them.
 */
@Injectable()
export class Sessions {
  private readonly logger = new Logger('Sessions');
  private readonly runAlone: RunTransaction = (work, lock) =>
    this.transactions.run(async () => {
      await lock?.();
      return work();
    });

  constructor(
    private readonly repository: SessionsRepository,
    private readonly authenticator: Authenticator,
    private readonly transactions: Transactions,
  ) {}

  /**
   * For a caller who ends sessions of their own: in turn, and only while the caller's own session stands. It may have ended since the
   * request was let in, and those that its owner has opened since are not to end with it.
   * @throws ApiError 401 with the reason for which it does not stand any more
   */
  byOwner(caller: Pick<Principal, 'userId' | 'sessionId'>): RunTransaction {
    return (work, lock) =>
      this.transactions.runInTurn([`sessions:${caller.userId}`, accountTurn(caller.userId)], async () => {
        await lock?.();
        await this.authenticator.assertStillStands(caller);
        return work();
      });
  }

  /** @returns why it ended: another reason, if somebody else has ended it at the same moment */
  async end(sessionId: string, reason: SessionEnd, run: RunTransaction = this.runAlone): Promise<SessionEnd> {
    const lock = () => this.repository.lockSession(sessionId);
    const end = await run(() => this.repository.delete(sessionId, reason), lock);
    await this.authenticator.forgetSessions([sessionId], end);
    return end;
  }

  /**
   * @param options `run`: for the first transaction; where there are very many sessions, it is followed by others. `lastId`: a session
   *   that ends with the last of them, whose caller can repeat this if it fails before
   * @returns how many were ended, beside those that had run out
   */
  async endAll(
    userId: string,
    reason: SessionEnd,
    { run = this.runAlone, lastId }: { run?: RunTransaction; lastId?: string } = {},
  ): Promise<number> {
    const lock = () => this.repository.lockAll(userId);
    const runLocked: RunTransaction = (work) => run(work, lock);
    const ended = this.endInTurn(() => this.repository.deleteAll(userId, reason, lastId), reason, runLocked);
    // Somebody else may have ended some a moment ago, and not have updated the caches yet; or a commit whose answer was lost is done:
    // without the account's record, they are looked up in storage.
    const count = await ended.finally(() => this.authenticator.forgetAccount(userId));
    await this.beginRemoval(userId, reason);
    return count;
  }

  /** Ends the account's sessions of older credential versions. */
  async endOutdated(userId: string, credentialVersion: number, reason: SessionEnd): Promise<void> {
    await this.endInTurn(() => this.repository.deleteOutdated(userId, credentialVersion, reason), reason);
    await this.beginRemoval(userId, reason);
  }

  /**
   * Why the session ended, by storage; within a transaction, by its snapshot.
   * @param account of it, which decides, too: a newer password ends sessions of which storage may still have some
   * @returns null if it has not ended
   */
  async endOf(sessionId: string, account: { credentialVersion: number } | null): Promise<SessionEnd | null> {
    const session = await this.repository.readSession(sessionId);
    if ('ended' in session) return session.ended;
    return isOutdated(session, account) ? 'password_changed' : null;
  }

  /**
   * Changes the credential, with which the account's sessions have ended, and removes them: in the same transaction if it meets no
   * conflict. Then updates the caches.
   * @param change makes the change, and returns the new credential version; if it throws, nothing is changed
   * @param keptId a session that goes on with the new credential
   * @throws ApiError 401 with the reason if that session has ended meanwhile; then nothing is changed
   */
  async endAllWith(userId: string, reason: SessionEnd, change: () => Promise<number>, keptId?: string): Promise<void> {
    let attempts = 0;
    // Whoever keeps a session can make many changes at once: a reset comes after one of them.
    const ownTurn = keptId ? [`password-change:${userId}`] : [];
    const changed = this.transactions.runInTurn([...ownTurn, accountTurn(userId)], async () => {
      attempts += 1;
      const version = await change();
      // The session was ended meanwhile, by a lockdown or a reset, which this change must not undo.
      if (keptId && !(await this.repository.renewCredential(keptId, version)))
        throw new ApiError(await this.repository.endOf(keptId));
      // After a conflict it leaves the sessions to what follows the commit: a thief who refreshes without end writes them again and
      // again, and would keep this from ever committing. Only the caches are told of them at once.
      if (attempts > 1) return { version, endedIds: await this.repository.outdatedIds(userId, version) };
      return { version, endedIds: (await this.repository.deleteOutdated(userId, version, reason)).ids };
    });
    // Before storage is asked again, which may fail; and in any case, since a commit whose answer was lost may be done.
    const { version, endedIds } = await changed.finally(() => this.authenticator.forgetAccount(userId));
    await this.authenticator.forgetSessions(endedIds, reason);
    // What was left or too many for one transaction, and a login with the old password that was inserted at the same time, which it
    // did not see. Since the commit, guards no longer accept them from storage; this removes them from the caches too.
    const endRest = () => this.endOutdated(userId, version, reason);
    const rest = endRest().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'Some sessions that have ended are removed later');
      void this.repeat(endRest);
    });
    // Neither refused nor late for it: the change is made, and cannot be made again with the link or the password that made it.
    const leftMs = msToWait();
    await (leftMs === Infinity ? rest : Promise.race([rest, pause(leftMs, undefined, { ref: false })]));
  }

  /** Repeats what the database has failed, until it succeeds, or no cache can have the sessions any more. */
  private async repeat(work: () => Promise<void>, lastMs = performance.now() + LIVE_SESSION_TTL_MS): Promise<void> {
    await pause(REPEATED_EVERY_MS, undefined, { ref: false });
    await work().catch((error: unknown) => {
      if (performance.now() < lastMs) return this.repeat(work, lastMs);
      this.logger.warn({ err: error }, 'Some sessions that have ended stay in the login history');
    });
  }

  /** Removes the entries of logins that are too long ago for a session to be left. */
  async removeOld(userId: string, reason: SessionEnd): Promise<void> {
    if (await this.removeSomeOld(userId, reason)) await this.removeOld(userId, reason);
  }

  /** Where there are very many, no answer waits for the rest, nor fails for any: none of them is a session any more. */
  private async beginRemoval(userId: string, reason: SessionEnd): Promise<void> {
    const stay = (error: unknown) =>
      this.logger.warn({ err: error }, 'Old entries of a login history stay until they are 90 days old');
    const hasMore = await this.removeSomeOld(userId, reason).catch(stay);
    if (hasMore) void this.removeOld(userId, reason).catch(stay);
  }

  /** @returns whether there may be more */
  private async removeSomeOld(userId: string, reason: SessionEnd): Promise<boolean> {
    const { ids, hasMore } = await this.repository.deleteOld(userId);
    if (ids.length > 0) await this.authenticator.forgetSessions(ids, reason);
    return hasMore;
  }

  private async endInTurn(
    endSome: () => Promise<EndedSessions>,
    reason: SessionEnd,
    run: RunTransaction = this.runAlone,
  ): Promise<number> {
    const { ids, hasMore } = await run(endSome);
    await this.authenticator.forgetSessions(ids, reason);
    return ids.length + (hasMore ? await this.endInTurn(endSome, reason) : 0);
  }
}
