import { Injectable } from '@nestjs/common';
import type { Role } from '../../common/access/index.js';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import { Authenticator, SecurityEvents } from '../../security/index.js';
import { type Account, canHaveRole, isActive } from '../accounts/account.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { AccountAnnouncements } from '../accounts/account-announcements.js';
import type { ChangeUserDto } from './users-administration.dto.js';

@Injectable()
export class UsersAdministrationService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly authenticator: Authenticator,
    private readonly announcements: AccountAnnouncements,
    private readonly events: SecurityEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError `not_found` */
  async get(userId: string): Promise<Account> {
    const account = await this.accounts.findById(userId);
    if (!account) throw new ApiError('not_found');
    return account;
  }

  /** @throws ApiError `not_found`, or `validation_failed` for a role or status that the account cannot have */
  async change(userId: string, { role, status }: ChangeUserDto): Promise<Account> {
    const account = await this.get(userId);
    if (status === 'active') assertCanBeActive(account);
    if (role && !canHaveRole(account))
      throw ApiError.invalidField('role', 'role cannot be given before the e-mail address is confirmed');
    if (role !== undefined && role !== account.role) await this.changeRole(userId, role);
    const isDisabled = account.disabledAt !== null;
    if (status !== undefined && (status === 'inactive') !== isDisabled)
      await this.setInactive(userId, 'disabled', !isDisabled);
    // Announced even if the account was in this state already: a listener may have failed the first time.
    if (status === 'inactive') await this.announcements.announceClosed(userId, 'disabled');
    return status === 'active' ? this.reopened(userId) : this.get(userId);
  }

  /** Soft: the account can be restored, and its names stay taken. @throws ApiError `not_found` */
  async delete(userId: string): Promise<void> {
    const { deletedAt } = await this.get(userId);
    if (!deletedAt) await this.setInactive(userId, 'deleted', true);
    await this.announcements.announceClosed(userId, 'deleted');
  }

  /** @throws ApiError `not_found` */
  async restore(userId: string): Promise<Account> {
    const { deletedAt } = await this.get(userId);
    if (deletedAt) await this.setInactive(userId, 'deleted', false);
    return this.reopened(userId);
  }

  /** Announces that the account is active again, unless it is still inactive in the other way (disabled, deleted). */
  private async reopened(userId: string): Promise<Account> {
    const account = await this.get(userId);
    if (isActive(account)) await this.announcements.announceReopened(userId);
    return account;
  }

  private async changeRole(userId: string, role: Role | null): Promise<void> {
    await this.accounts.setRole(userId, role);
    await this.authenticator.forgetAccount(userId);
    this.events.record({ kind: 'user_role_changed', outcome: 'success', userId, detail: String(role) });
  }

  private async setInactive(userId: string, state: 'disabled' | 'deleted', isInactive: boolean): Promise<void> {
    const since = isInactive ? this.clock.now() : null;
    await this.transactions.run(() => this.accounts.setInactive(userId, state, since));
    await this.authenticator.forgetAccount(userId);
    const kind =
      state === 'disabled'
        ? isInactive
          ? 'user_disabled'
          : 'user_enabled'
        : isInactive
          ? 'user_deleted'
          : 'user_restored';
    this.events.record({ kind, outcome: 'success', userId });
  }
}

/** An account that is disabled too can be enabled in any case: it then has the status that it would have without that. */
function assertCanBeActive({ status, deletedAt, disabledAt }: Account): void {
  if (status === 'active' || disabledAt) return;
  const reason = deletedAt ? 'while the account is deleted' : 'before the e-mail address is confirmed';
  throw ApiError.invalidField('status', `status cannot be active ${reason}`);
}
