import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { formatMoment, Notices } from '../../mail/index.js';
import { AccountAnnouncements } from '../../users/index.js';

/** Mails the owner when the name that the account logs in with was changed (ASVS 6.3.7). */
@Injectable()
export class UsernameNotice implements OnModuleInit {
  constructor(
    private readonly announcements: AccountAnnouncements,
    private readonly notices: Notices,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.announcements.onUsernameChanged(({ email }) => this.post(email));
  }

  private async post(to: string): Promise<void> {
    const now = this.clock.now();
    await this.notices.post('username-changed', to, now, { changed_at: formatMoment(now) });
  }
}
