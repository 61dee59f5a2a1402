import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { formatMoment, MailOutbox, Notices } from '../../mail/index.js';
import type { IssuedSecret } from '../../security/index.js';

/** Mails with a reset link. Links are built from a setting, never from a request's headers. */
@Injectable()
export class ResetMails {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly notices: Notices,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async postLink(to: string, token: IssuedSecret, { isDecoy }: { isDecoy: boolean }): Promise<void> {
    const { expiresAt } = token;
    await this.outbox.post({ kind: 'password-reset', to, context: this.linkOf(token), expiresAt, isDecoy });
  }

  /** For the owner of an account that was locked down. */
  async postAlert(to: string, token: IssuedSecret): Promise<void> {
    const context = { ...this.linkOf(token), reported_at: formatMoment(this.clock.now()) };
    await this.outbox.post({ kind: 'security-alert', to, context, expiresAt: token.expiresAt });
  }

  async postChanged(to: string, { isSessionKept }: { isSessionKept: boolean }): Promise<void> {
    const now = this.clock.now();
    const facts = { changed_at: formatMoment(now), is_session_kept: isSessionKept };
    await this.notices.post('password-changed', to, now, facts);
  }

  private linkOf({ secret, expiresAt }: IssuedSecret): { link: string; token: string; expires_at: Date } {
    return {
      link: `${this.config.mail.frontendUrl}/reset-password?token=${secret}`,
      token: secret,
      expires_at: expiresAt,
    };
  }
}
