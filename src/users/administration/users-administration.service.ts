import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Authenticator, CallerAuthority, SecurityEvents } from '../../security/index.js';
import { type Account, canHaveRole, isActive } from '../accounts/account.js';
import { AccountsRepository, type Standing } from '../accounts/accounts.repository.js';
import { AccountAnnouncements } from '../accounts/account-announcements.js';
import type { ChangeUserDto } from './users-administration.dto.js';

@Injectable()
export class UsersAdministrationService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly authenticator: Authenticator,
    private readonly announcements: AccountAnnouncements,
    private readonly authority: CallerAuthority,
    private readonly events: SecurityEvents,
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
    const account = await this.decide(userId, (account) => {
      if (status === 'active') assertCanBeActive(account);
      const change = {
        ...(role === undefined ? {} : { role }),
        ...(status === 'inactive' ? { disabledAt: account.disabledAt ?? this.clock.now() } : {}),
        ...(status === 'active' ? { disabledAt: null } : {}),
      };
      // A form sends the role that the account has, too.
      if (role && role !== account.role) assertCanHaveRole({ ...account, ...change });
      return change;
    });
    // Announced even if the account was in this state already: a listener may have failed the first time.
    if (status === 'inactive') await this.announceClosed(userId, 'disabled');
    if (status === 'active') await this.announceReopened(account);
    return account;
  }

  /** Soft: the account can be restored, and its names stay taken. @throws ApiError `not_found` */
  async delete(userId: string): Promise<void> {
    await this.decide(userId, ({ deletedAt }) => ({ deletedAt: deletedAt ?? this.clock.now() }));
    await this.announceClosed(userId, 'deleted');
  }

  /** @throws ApiError `not_found` */
  async restore(userId: string): Promise<Account> {
    const account = await this.decide(userId, () => ({ deletedAt: null }));
    await this.announceReopened(account);
    return account;
  }

  /**
   * Carries out one administrator's decision, as a whole and with its events, about the account as it is at that moment: of
   * several who decide at the same time, one comes after the other, and who decides what is so already changes nothing.
   */
  private async decide(userId: string, by: (account: Account) => Partial<Standing>): Promise<Account> {
    const decision = async (): Promise<Account> => {
      const account = await this.get(userId);
      const decided = { ...account, ...by(account) };
      const events = [...eventsBetween(account, decided)];
      for (const event of events) await this.events.recordWith({ ...event, outcome: 'success', userId });
      return events.length > 0 ? this.accounts.changeStanding(account, decided) : account;
    };
    const lock = () => this.accounts.lock(userId);
    // Even if nothing was to change: the process that changed it may have died before it did this. Or if it failed: a commit whose
    // answer was lost may be done.
    return this.authority
      .decide(decision, { about: userId, lock })
      .finally(() => this.authenticator.forgetAccount(userId));
  }

  /** Of two decisions that were announced at the same time, the later one is announced last, again if need be. */
  private async announceClosed(userId: string, reason: 'disabled' | 'deleted'): Promise<void> {
    await this.announcements.announceClosed(userId, reason);
    const account = await this.accounts.findById(userId);
    if (account) await this.announceReopened(account);
  }

  private async announceReopened(account: Account): Promise<void> {
    // It may still be inactive in the other way (disabled, deleted).
    if (!isActive(account)) return;
    await this.announcements.announceReopened(account.userId);
    const { userId, deletedAt, disabledAt } = (await this.accounts.findById(account.userId)) ?? account;
    if (deletedAt || disabledAt) await this.announceClosed(userId, deletedAt ? 'deleted' : 'disabled');
  }
}

function* eventsBetween(before: Standing, after: Standing) {
  if (after.role !== before.role) yield { kind: 'user_role_changed', detail: String(after.role) } as const;
  if (after.disabledAt !== before.disabledAt)
    yield { kind: after.disabledAt ? 'user_disabled' : 'user_enabled' } as const;
  if (after.deletedAt !== before.deletedAt) yield { kind: after.deletedAt ? 'user_deleted' : 'user_restored' } as const;
}

function assertCanHaveRole(account: Account): void {
  if (!canHaveRole(account))
    throw ApiError.invalidField('role', 'role cannot be given before the e-mail address is confirmed');
  if (!isActive(account)) throw ApiError.invalidField('role', 'role cannot be given to an account that is inactive');
}

/** An account that is disabled too can be enabled in any case: it then has the status that it would have without that. */
function assertCanBeActive({ confirmedAt, deletedAt, disabledAt }: Account): void {
  if (disabledAt || (confirmedAt && !deletedAt)) return;
  const reason = deletedAt ? 'while the account is deleted' : 'before the e-mail address is confirmed';
  throw ApiError.invalidField('status', `status cannot be active ${reason}`);
}
