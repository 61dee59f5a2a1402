import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import { Authenticator, type SessionEnd } from '../../security/index.js';
import { SessionsRepository } from './sessions.repository.js';

/** Ends sessions, in storage and in every cache, before it returns. */
@Injectable()
export class Sessions {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly authenticator: Authenticator,
    private readonly transactions: Transactions,
  ) {}

  async end(sessionId: string, reason: SessionEnd): Promise<void> {
    await this.transactions.run(() => this.repository.delete(sessionId, reason));
    await this.authenticator.forgetSessions([sessionId], reason);
  }

  /** @returns how many there were */
  async endAll(userId: string, reason: SessionEnd): Promise<number> {
    const ended = await this.transactions.run(() => this.repository.deleteAll(userId, reason));
    await this.authenticator.forgetSessions(ended, reason);
    return ended.length;
  }

  /**
   * Runs a change of the credential and the end of all the account's sessions in one transaction, then clears the caches.
   * @param change does it, and yields the new credential version; when it throws, nothing has happened
   */
  async endAllWith(userId: string, reason: SessionEnd, change: () => Promise<number>): Promise<void> {
    await this.endWith(userId, null, reason, change);
  }

  /**
   * The same for all but one session, which goes on with the new credential.
   * @throws ApiError `session_revoked` when that session has ended meanwhile; then nothing has happened
   */
  async endOthersWith(
    userId: string,
    keptId: string,
    reason: SessionEnd,
    change: () => Promise<number>,
  ): Promise<void> {
    await this.endWith(userId, keptId, reason, change);
  }

  /** Whether it is still stored; within a transaction, as of that. */
  async isOpen(sessionId: string): Promise<boolean> {
    return (await this.repository.findGeneration(sessionId)) !== null;
  }

  private async endWith(
    userId: string,
    keptId: string | null,
    reason: SessionEnd,
    change: () => Promise<number>,
  ): Promise<void> {
    const { version, ended } = await this.transactions.run(async () => {
      const version = await change();
      // Ended meanwhile, by a lockdown or a reset: what was begun in it must not undo them.
      if (keptId && !(await this.repository.renewCredential(keptId, version))) throw new ApiError('session_revoked');
      return { version, ended: await this.repository.deleteOutdated(userId, version, reason) };
    });
    // A login with the old password that was inserted beside the transaction was not seen by it. From the commit on no
    // guard accepts it from storage; this takes it out of the caches too.
    const stragglers = await this.repository.deleteOutdated(userId, version, reason);
    await this.authenticator.forgetAccount(userId);
    await this.authenticator.forgetSessions([...ended, ...stragglers], reason);
  }
}
