import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { KnownDevicesRepository, LocationFinder, networkOf, parseDevice } from '../../login-history/index.js';
import { AccountBackoff, type LoginTarget, SecurityEvents } from '../../security/index.js';
import type { Account } from '../../users/index.js';
import type { Client } from './client.decorator.js';

/** Lets a login attempt at an account through, or holds it back for a while after many failures in a row. */
@Injectable()
export class LoginAdmission {
  constructor(
    private readonly backoff: AccountBackoff,
    private readonly knownDevices: KnownDevicesRepository,
    private readonly locations: LocationFinder,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Username and address of an account count together, and names of nobody like those of accounts. A device and network
   * from which the account has been used before is not held back: else guessing would be a way to lock the owner out.
   * @throws ApiError `too_many_login_attempts`
   */
  async admit(account: Account | null, login: string, client: Client): Promise<void> {
    const waitMs = await this.backoff.reserveAttempt(targetOf(account, login));
    if (waitMs === 0) return;
    if (account && (await this.isKnown(account, client))) return;
    this.events.record({ kind: 'authn_login_fail_max', outcome: 'failure', userId: account?.userId });
    throw new ApiError('too_many_login_attempts', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }

  async succeeded({ userId }: Account): Promise<void> {
    await this.backoff.clear({ userId });
  }

  private async isKnown({ userId }: Account, { ip, userAgent }: Client): Promise<boolean> {
    const network = networkOf(ip, await this.locations.find(ip));
    return this.knownDevices.isKnown({ userId, device: parseDevice(userAgent), network });
  }
}

function targetOf(account: Account | null, login: string): LoginTarget {
  return account ? { userId: account.userId } : { name: login };
}
