import { Injectable } from '@nestjs/common';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { ApiError } from '../../common/errors/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import { coalesced, type FillTicket, RecordCache } from '../../infrastructure/cache/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { accountDatesKey, readAccountDates } from './account-dates.js';
import { type AccountAccess, type AccountFacts, AccountReader } from './account-reader.js';
import { assertStands, isOutdated } from './assert-stands.js';
import { AUTH_RECORD_TTL_MS, type AuthRecord, authRecordKey, readAuthRecord } from './auth-record.js';
import type { Principal } from './principal.js';
import { SessionReader } from './session-reader.js';
import { LIVE_SESSION_TTL_MS, readSessionState, type SessionEnd, sessionKey } from './session-state.js';

/**
 * Decides whether the account and session of a verified token are still valid, by way of the cache. Everything that is cached
 * under `user:*` and `session:*` is written here.
 */
@Injectable()
export class Authenticator implements OnCleanSlate {
  private readonly endedSessionTtlMs: number;
  private readonly shareRead = coalesced<AccountFacts>();

  constructor(
    private readonly cache: RecordCache,
    private readonly accounts: AccountReader,
    private readonly sessions: SessionReader,
    config: Config,
  ) {
    this.endedSessionTtlMs = config.tokens.accessTtlMs;
  }

  /** Begins to read the records that {@link principalOf} will need. */
  readAhead({ id: userId, sid: sessionId }: { id: string; sid: string }): void {
    this.cache.readAhead(keysOf(userId, sessionId));
  }

  /** @throws ApiError 401 with the reason for which the session ended */
  async authenticate(claims: { id: string; sid: string }): Promise<Principal> {
    return this.principalOf(claims);
  }

  /**
   * Like {@link authenticate}, but without a promise if the records are in this process or were read ahead.
   * @throws ApiError 401 with the reason for which the session ended
   */
  principalOf({ id: userId, sid: sessionId }: { id: string; sid: string }): Promisable<Principal> {
    return andThen(this.cache.getMany(keysOf(userId, sessionId)), ([cachedSession, cachedRecord, cachedDates]) => {
      const session = readSessionState(cachedSession);
      if (session && 'ended' in session) throw new ApiError(session.ended);
      const record = readAuthRecord(cachedRecord, userId);
      const dates = readAccountDates(cachedDates);
      if (record && dates && session?.user === userId) return { userId, sessionId, record, dates };
      return this.authenticateFromStorage(userId, sessionId);
    });
  }

  /**
   * Asks storage again, within the transaction that makes a change, and locks session and account, so that the loss of either comes
   * before the change or after it: a request may be under way for seconds since its guards asked, and must not undo what has ended it.
   * @throws ApiError 401 with the reason for which they let nobody in any more
   */
  async assertStillStands({ userId, sessionId }: Pick<Principal, 'userId' | 'sessionId'>): Promise<AccountAccess> {
    // One after the other: a transaction cannot run commands in parallel.
    const session = await this.sessions.lockSession(sessionId);
    const account = await this.accounts.lockAccess(userId);
    assertStands(session, account, userId);
    return account;
  }

  private async authenticateFromStorage(userId: string, sessionId: string): Promise<Principal> {
    const read = () => this.readStorage(userId, sessionId);
    return { userId, sessionId, ...(await this.shareRead(`${userId} ${sessionId}`, read)) };
  }

  private async readStorage(userId: string, sessionId: string): Promise<AccountFacts> {
    const [accountTickets, sessionTicket] = await Promise.all([
      this.startAccountFill(userId),
      this.cache.startFill(sessionKey(sessionId)),
    ]);
    const [firstRead, account] = await Promise.all([
      this.sessions.readSession(sessionId),
      this.accounts.readAccess(userId),
    ]);
    // A change of the password that keeps the session may have come between: what is read after the account decides.
    const session = isOutdated(firstRead, account) ? await this.sessions.readSession(sessionId) : firstRead;
    assertStands(session, account, userId);

    const { record, dates } = account;
    await Promise.all([
      this.fillAccount(accountTickets, account),
      this.cache.fill(sessionTicket, { user: userId }, LIVE_SESSION_TTL_MS),
    ]);
    return { record, dates };
  }

  /** Caches the account of a user who has just logged in. @param load reads it from storage */
  async remember(userId: string, load: () => Promise<AccountFacts>): Promise<AuthRecord> {
    const tickets = await this.startAccountFill(userId);
    const facts = await load();
    await this.fillAccount(tickets, facts);
    return facts.record;
  }

  private startAccountFill(userId: string): Promise<[FillTicket, FillTicket]> {
    return Promise.all([this.cache.startFill(authRecordKey(userId)), this.cache.startFill(accountDatesKey(userId))]);
  }

  private async fillAccount([ofRecord, ofDates]: [FillTicket, FillTicket], facts: AccountFacts): Promise<void> {
    await Promise.all([
      this.cache.fill(ofRecord, facts.record, AUTH_RECORD_TTL_MS),
      this.cache.fill(ofDates, facts.dates, AUTH_RECORD_TTL_MS),
    ]);
  }

  /** To be called after the account record was changed in storage, and before the change is answered. */
  async forgetAccount(userId: string): Promise<void> {
    await Promise.all([authRecordKey(userId), accountDatesKey(userId)].map((key) => this.cache.invalidate(key)));
  }

  /** To be called after sessions were ended in storage, and before that is answered. */
  async forgetSessions(sessionIds: string[], reason: SessionEnd): Promise<void> {
    await Promise.all(
      sessionIds.map((id) => this.cache.put(sessionKey(id), { ended: reason }, this.endedSessionTtlMs)),
    );
  }

  async onCleanSlate(): Promise<void> {
    await Promise.all(['user:', 'session:'].map((family) => this.cache.forgetAll(family)));
  }
}

function keysOf(userId: string, sessionId: string): string[] {
  return [sessionKey(sessionId), authRecordKey(userId), accountDatesKey(userId)];
}
