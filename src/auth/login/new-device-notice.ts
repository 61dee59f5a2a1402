import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
import {
  describeDevice,
  describeLocation,
  type Device,
  KnownDevicesRepository,
  type Location,
  networkOf,
} from '../../login-history/index.js';
import { forgotPasswordUrl, formatMoment, MailOutbox, NOTICE_LIFETIME_MS } from '../../mail/index.js';

export interface Login {
  userId: string;
  email: string;
  ip: string;
  device: Device | undefined;
  location: Location | undefined;
  loggedInAt: Date;
}

/** Tells the owner of a login from a device and network not seen on the account before. It never fails a login. */
@Injectable()
export class NewDeviceNotice {
  private readonly logger = new Logger(NewDeviceNotice.name);

  constructor(
    private readonly knownDevices: KnownDevicesRepository,
    private readonly outbox: MailOutbox,
    private readonly config: Config,
  ) {}

  async consider({ userId, email, ip, device, location, loggedInAt }: Login): Promise<void> {
    try {
      const isNew = await this.knownDevices.see({ userId, device, network: networkOf(ip, location) });
      if (!isNew) return;
      await this.outbox.post({
        kind: 'new-device',
        to: email,
        context: {
          device: describeDevice(device),
          location: describeLocation(location),
          ip,
          logged_in_at: formatMoment(loggedInAt),
          reset_url: forgotPasswordUrl(this.config.mail.frontendUrl),
        },
        expiresAt: new Date(loggedInAt.getTime() + NOTICE_LIFETIME_MS),
      });
    } catch (error) {
      this.logger.warn({ err: error }, 'A new device was not announced');
    }
  }
}
