import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { forgotPasswordUrl, formatMoment, MailOutbox, NOTICE_LIFETIME_MS } from '../../mail/index.js';
import { AccountAnnouncements } from '../../users/index.js';

/** Mails the owner when the name that the account logs in with was changed (ASVS 6.3.7). */
@Injectable()
export class UsernameNotice implements OnModuleInit {
  constructor(
    private readonly announcements: AccountAnnouncements,
    private readonly outbox: MailOutbox,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.announcements.onUsernameChanged(({ email }) => this.post(email));
  }

  private async post(to: string): Promise<void> {
    const context = {
      changed_at: formatMoment(this.clock.now()),
      reset_url: forgotPasswordUrl(this.config.mail.frontendUrl),
    };
    const expiresAt = new Date(this.clock.nowMs() + NOTICE_LIFETIME_MS);
    await this.outbox.post({ kind: 'username-changed', to, context, expiresAt });
  }
}
