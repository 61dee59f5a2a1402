import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
import {
  describeDevice,
  describeLocation,
  KNOWN_DEVICE_RETENTION_MS,
  KnownDevicesRepository,
  networkOf,
} from '../../login-history/index.js';
import {
  forgotPasswordUrl,
  formatDuration,
  formatMoment,
  MailOutbox,
  NOTICE_LIFETIME_MS,
  reportLoginUrl,
} from '../../mail/index.js';
import { LoginReportTokens } from '../../security/index.js';
import type { Account } from '../../users/index.js';
import type { OpenedSession } from './session-opening.js';

/** Mails the owner about a login from a device and network that are new for the account. A failure never fails the login. */
@Injectable()
export class NewDeviceNotice {
  private readonly logger = new Logger(NewDeviceNotice.name);

  constructor(
    private readonly knownDevices: KnownDevicesRepository,
    private readonly reportTokens: LoginReportTokens,
    private readonly outbox: MailOutbox,
    private readonly config: Config,
  ) {}

  async consider(account: Account, { sessionId, ip, device, location, loggedInAt }: OpenedSession): Promise<void> {
    const { userId, email, recoveries } = account;
    const { frontendUrl, publicUrl } = this.config.mail;
    try {
      const network = networkOf(ip, location);
      const isNew = await this.knownDevices.see({ userId, device, network }, hasPast(account, loggedInAt));
      if (!isNew) return;
      const reportToken = this.reportTokens.issue({ userId, sessionId, recoveries, loggedInAt });
      await this.outbox.post({
        kind: 'new-device',
        to: email,
        context: {
          device: describeDevice(device),
          location: describeLocation(location),
          ip,
          logged_in_at: formatMoment(loggedInAt),
          reset_url: forgotPasswordUrl(frontendUrl),
          link: publicUrl && reportLoginUrl(publicUrl, reportToken),
          expires_in: formatDuration(this.config.oneTimeSecrets.reportTtlMs),
        },
        expiresAt: new Date(loggedInAt.getTime() + NOTICE_LIFETIME_MS),
      });
    } catch (error) {
      this.logger.warn({ err: error }, 'A new device was not announced');
    }
  }
}

/** Whether devices may have been forgotten: all in a lockdown, each when it was not used for long. */
function hasPast({ recoveries, confirmedAt }: Account, loggedInAt: Date): boolean {
  return recoveries > 0 || Number(confirmedAt) < loggedInAt.getTime() - KNOWN_DEVICE_RETENTION_MS;
}
