import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import {
  describeDevice,
  describeLocation,
  KNOWN_DEVICE_RETENTION_MS,
  KnownDevicesRepository,
  networkOf,
} from '../../login-history/index.js';
import { formatMoment, Notices } from '../../mail/index.js';
import { accountTurn, LoginReportTokens } from '../../security/index.js';
import { type Account, AccountsRepository } from '../../users/index.js';
import type { OpenedSession } from './session-opening.js';

/** Mails the owner about a login from a device and network that are new for the account. A failure never fails the login. */
@Injectable()
export class NewDeviceNotice {
  private readonly logger = new Logger(NewDeviceNotice.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly knownDevices: KnownDevicesRepository,
    private readonly reportTokens: LoginReportTokens,
    private readonly notices: Notices,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  async consider(account: Account, session: OpenedSession): Promise<void> {
    const { ip, device, location, loggedInAt } = session;
    const sighting = { userId: account.userId, device, network: networkOf(ip, location) };
    try {
      if (await this.knownDevices.seeAgain(sighting)) return;
      // The session is stored, and not announced otherwise if this login takes long.
      this.transactions.noteStored();
      // Together: a device that is known without a mail would never be announced.
      // In turn, since each of them locks the account: a thief who comes from everywhere at once is announced as often.
      await this.transactions.runInTurn([`new-device:${account.userId}`, accountTurn(account.userId)], async () => {
        // One of those before it may have been of the same device: then there is nothing to lock the account for.
        if (await this.knownDevices.seeAgain(sighting)) return;
        // After a lockdown no device is known, and of two that are the first at the same time one must see the other.
        const locked = await this.accounts.lock(account.userId);
        if (locked?.credentialVersion !== account.credentialVersion) return;
        if (await this.knownDevices.add(sighting, hasPast(account, loggedInAt))) await this.announce(account, session);
      });
    } catch (error) {
      this.logger.warn({ err: error }, 'A new device was not announced');
    }
  }

  private async announce(
    { userId, email, recoveries }: Account,
    { sessionId, ip, device, location, loggedInAt }: OpenedSession,
  ): Promise<void> {
    const { publicUrl } = this.config.mail;
    const reportToken = this.reportTokens.issue({ userId, sessionId, recoveries, loggedInAt });
    await this.notices.post('new-device', email, loggedInAt, {
      device: describeDevice(device),
      location: describeLocation(location),
      is_location_by_db_ip: !this.config.geoipFile,
      ip,
      logged_in_at: formatMoment(loggedInAt),
      link: publicUrl && `${publicUrl}/not-me?token=${reportToken}`,
      expires_at: new Date(loggedInAt.getTime() + this.config.oneTimeSecrets.reportTtlMs),
    });
  }
}

/** Whether devices may have been forgotten: all in a lockdown, each when it was not used for long. */
function hasPast({ recoveries, confirmedAt }: Account, loggedInAt: Date): boolean {
  return recoveries > 0 || Number(confirmedAt) < loggedInAt.getTime() - KNOWN_DEVICE_RETENTION_MS;
}
