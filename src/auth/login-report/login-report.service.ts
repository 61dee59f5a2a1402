import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { type LoginReportClaims, LoginReportTokens, SecurityEvents } from '../../security/index.js';
import { type Account, AccountsRepository } from '../../users/index.js';
import { Lockdown } from '../its-not-me/lockdown.js';

/** Reports "this was not me", made with the link in a mail about a new login. */
@Injectable()
export class LoginReportService {
  constructor(
    private readonly tokens: LoginReportTokens,
    private readonly accounts: AccountsRepository,
    private readonly lockdown: Lockdown,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Finds the login that a link is about. It changes nothing, since mail scanners open links before people do.
   * @returns when the login was
   * @throws ApiError `report_link_invalid`, `report_link_expired` or `report_link_used`
   */
  async read(token: string): Promise<Date> {
    const claims = this.tokens.verify(token);
    await this.accountOf(claims);
    return new Date(claims.iat * 1000);
  }

  /**
   * Locks the account down. Of any number of simultaneous reports exactly one does so.
   * @throws as {@link read} does
   */
  async confirm(token: string): Promise<void> {
    try {
      const claims = this.tokens.verify(token);
      const { userId } = await this.accountOf(claims);
      await this.lockdown.lockDown({ userId, sessionId: claims.sid, recoveries: claims.rec });
    } catch (error) {
      if (error instanceof ApiError && error.status === 400)
        this.events.record({ kind: 'authn_fail', outcome: 'failure', detail: error.code });
      throw error;
    }
  }

  private async accountOf({ id, rec }: LoginReportClaims): Promise<Account> {
    const account = await this.accounts.findById(id);
    if (account?.recoveries !== rec) throw new ApiError('report_link_used');
    return account;
  }
}
