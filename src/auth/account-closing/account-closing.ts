import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Sessions } from '../../login-history/index.js';
import { AccountAnnouncements } from '../../users/index.js';

/** Ends the sessions of accounts that an administrator has disabled or deleted. */
@Injectable()
export class AccountClosing implements OnModuleInit {
  constructor(
    private readonly announcements: AccountAnnouncements,
    private readonly sessions: Sessions,
  ) {}

  onModuleInit(): void {
    this.announcements.onClosed(async (userId) => {
      await this.sessions.endAll(userId, 'account_disabled');
    });
  }
}
