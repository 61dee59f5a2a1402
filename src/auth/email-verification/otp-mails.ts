import { Injectable } from '@nestjs/common';
import { formatDuration, MailOutbox } from '../../mail/index.js';
import { type IssuedSecret, OneTimeSecrets } from '../../security/index.js';

/** The mail that carries an OTP. */
@Injectable()
export class OtpMails {
  constructor(
    private readonly outbox: MailOutbox,
    private readonly secrets: OneTimeSecrets,
  ) {}

  async post(to: string, { secret, expiresAt }: IssuedSecret, { isDecoy = false } = {}): Promise<void> {
    await this.outbox.post({
      kind: 'email-verification',
      to,
      context: { otp: secret, expires_in: formatDuration(this.secrets.otpTtlMs) },
      expiresAt,
      isDecoy,
    });
  }
}
