import { Injectable } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
import { formatDuration } from '../../mail/index.js';

/** What mails say of a reset token. The link's base comes from the settings, never from a request's headers. */
@Injectable()
export class ResetLinks {
  constructor(private readonly config: Config) {}

  contextOf(token: string): { link: string; token: string; expires_in: string } {
    return {
      link: `${this.config.mail.frontendUrl}/reset-password?token=${token}`,
      token,
      expires_in: formatDuration(this.config.oneTimeSecrets.resetTtlMs),
    };
  }

  get forgotPasswordUrl(): string {
    return `${this.config.mail.frontendUrl}/forgot-password`;
  }
}
