import { Injectable } from '@nestjs/common';
import { MailOutbox } from '../../mail/index.js';
import type { IssuedSecret } from '../../security/index.js';

/** The mail that carries an OTP. */
@Injectable()
export class OtpMails {
  constructor(private readonly outbox: MailOutbox) {}

  async post(to: string, { secret, expiresAt }: IssuedSecret, { isDecoy = false } = {}): Promise<void> {
    await this.outbox.post({
      kind: 'email-verification',
      to,
      context: { otp: secret, expires_at: expiresAt },
      expiresAt,
      isDecoy,
    });
  }
}
