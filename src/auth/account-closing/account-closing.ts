import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Sessions } from '../../login-history/index.js';
import { AccountAnnouncements, AccountsRepository, isActive } from '../../users/index.js';

/** Ends the sessions of accounts that an administrator has disabled or deleted. */
@Injectable()
export class AccountClosing implements OnModuleInit {
  constructor(
    private readonly announcements: AccountAnnouncements,
    private readonly accounts: AccountsRepository,
    private readonly sessions: Sessions,
  ) {}

  onModuleInit(): void {
    this.announcements.onClosed(async (userId) => {
      const account = await this.accounts.findById(userId);
      if (!account) return;
      // Sessions of later versions were opened by an owner whose account has been enabled or restored meanwhile.
      const versionAfter = account.credentialVersion + (isActive(account) ? 0 : 1);
      await this.sessions.endOutdated(userId, versionAfter, 'account_disabled');
    });
  }
}
