import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { KnownDevicesRepository, LocationFinder, networkOf, parseDevice } from '../../login-history/index.js';
import { AccountBackoff, type LoginTarget, SecurityEvents } from '../../security/index.js';
import { type Account, NOBODY } from '../../users/index.js';
import type { Client } from './client.decorator.js';

export interface LoginAttempt {
  /** What the attempt was counted for. */
  counted: LoginTarget;
  /** What is delayed for everybody else, and was not counted for. */
  delayed: LoginTarget[];
}

/** Admits a login attempt, or delays it after many failures in a row. */
@Injectable()
export class LoginAdmission {
  constructor(
    private readonly backoff: AccountBackoff,
    private readonly knownDevices: KnownDevicesRepository,
    private readonly locations: LocationFinder,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Username and e-mail address of an account count together; names without an account are counted just like accounts. While an
   * account is delayed, each device and network that it was used from before has attempts of its own: otherwise guessing would
   * lock the owner out. These attempts are limited too, since a device can be imitated.
   * @returns to be passed to {@link succeeded} or {@link notMade}
   * @throws ApiError `too_many_login_attempts`
   */
  async admit(account: Account | null, login: string, client: Client): Promise<LoginAttempt> {
    const target = account ? { userId: account.userId, recoveries: account.recoveries } : { name: login };
    let waitMs = await this.backoff.reserveAttempt(target);
    if (waitMs === 0) return { counted: target, delayed: [] };
    const device = await this.knownDevice(account?.userId ?? NOBODY, client);
    if (account && device) {
      const fromDevice = { ...target, from: device };
      waitMs = await this.backoff.reserveAttempt(fromDevice);
      if (waitMs === 0) return { counted: fromDevice, delayed: [target] };
    }
    this.events.record({ kind: 'authn_login_fail_max', outcome: 'failure', userId: account?.userId });
    throw new ApiError('too_many_login_attempts', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }

  /** To be called if the password could not be compared: somebody who is told to come again has not failed. */
  async notMade({ counted }: LoginAttempt): Promise<void> {
    await this.backoff.giveBack(counted);
  }

  async succeeded({ counted, delayed }: LoginAttempt): Promise<void> {
    await Promise.all([counted, ...delayed].map((target) => this.backoff.clear(target)));
  }

  /** @returns the fingerprint of the client's device if the account has been used from it, else null */
  private async knownDevice(userId: string, { ip, userAgent }: Client): Promise<string | null> {
    const network = networkOf(ip, await this.locations.find(ip));
    return this.knownDevices.findKnown({ userId, device: parseDevice(userAgent), network });
  }
}
