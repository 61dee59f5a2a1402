import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
import {
  describeDevice,
  describeLocation,
  type Device,
  KNOWN_DEVICE_RETENTION_MS,
  KnownDevicesRepository,
  type Location,
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

export interface Login {
  userId: string;
  sessionId: string;
  /** Number of recoveries of the account before this login. */
  recoveries: number;
  confirmedAt: Date | null;
  email: string;
  ip: string;
  device: Device | undefined;
  location: Location | undefined;
  loggedInAt: Date;
}

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

  async consider(login: Login): Promise<void> {
    const { userId, email, ip, device, location, loggedInAt } = login;
    const { frontendUrl, publicUrl } = this.config.mail;
    try {
      const network = networkOf(ip, location);
      const isNew = await this.knownDevices.see({ userId, device, network }, hasPast(login));
      if (!isNew) return;
      await this.outbox.post({
        kind: 'new-device',
        to: email,
        context: {
          device: describeDevice(device),
          location: describeLocation(location),
          ip,
          logged_in_at: formatMoment(loggedInAt),
          reset_url: forgotPasswordUrl(frontendUrl),
          link: publicUrl && reportLoginUrl(publicUrl, this.reportTokens.issue(login)),
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
function hasPast({ recoveries, confirmedAt, loggedInAt }: Login): boolean {
  return recoveries > 0 || Number(confirmedAt) < loggedInAt.getTime() - KNOWN_DEVICE_RETENTION_MS;
}
