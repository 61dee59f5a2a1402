import { Injectable } from '@nestjs/common';
import type { RateLimit } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import {
  AccountQuotas,
  accountTurn,
  Authenticator,
  type Principal,
  type QuotaUse,
  SecurityEvents,
} from '../../security/index.js';
import type { Account } from '../accounts/account.js';
import { AccountAnnouncements } from '../accounts/account-announcements.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import type { ChangeProfileDto } from './change-profile.dto.js';

/** Each is a mail to the owner, and one to a name that is taken tells of it: a registration, which tells it too, is limited more. */
const RENAMES: RateLimit = { quota: 20, windowMs: 3_600_000 };

@Injectable()
export class ProfileService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly authenticator: Authenticator,
    private readonly quotas: AccountQuotas,
    private readonly announcements: AccountAnnouncements,
    private readonly events: SecurityEvents,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @throws ApiError `validation_failed` if the username is taken, `too_many_requests` after twenty within the hour, 401 if session or
   *   account let nobody in any more
   */
  async change(principal: Principal, dto: ChangeProfileDto): Promise<Account> {
    const { userId } = principal;
    const { first_name: firstName, last_name: lastName, username } = dto;
    const use = username === undefined ? null : await this.countRename(userId, username);
    const change = () => this.accounts.changeProfile(userId, { firstName, lastName, username });
    // In turn: each of them locks the account.
    const changed = this.transactions.runInTurn([`profile:${userId}`, accountTurn(userId)], async () => {
      await this.authenticator.assertStillStands(principal);
      return username === undefined ? change() : this.rename(userId, change);
    });
    const account = await changed.catch(async (error: unknown) => {
      const isTaken = error instanceof ApiError && error.code === 'validation_failed';
      if (!isTaken) await use?.giveBack();
      throw error;
    });
    if (!account) throw new ApiError('session_revoked');
    await this.authenticator.forgetAccount(userId);
    return account;
  }

  /** A form may send the name that the account has. */
  private async countRename(userId: string, username: string): Promise<QuotaUse | null> {
    const account = await this.accounts.findById(userId);
    if (!account || account.username === username) return null;
    return this.quotas.use('username change', userId, RENAMES, account.recoveries);
  }

  /** The username is what somebody logs in with: its change is never without an event, and never unknown to the owner. */
  private async rename(userId: string, change: () => Promise<Account | null>): Promise<Account | null> {
    const before = await this.accounts.findById(userId);
    const account = await change();
    if (account && account.username !== before?.username) {
      await this.events.recordWith({ kind: 'user_updated', outcome: 'success', userId, detail: 'username' });
      await this.announcements.announceUsernameChanged(account);
    }
    return account;
  }
}
