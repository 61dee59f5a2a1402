import { Injectable } from '@nestjs/common';
import { Sessions } from '../../login-history/index.js';
import { OneTimeSecrets, type Principal, SecurityEvents } from '../../security/index.js';
import { AccountsRepository } from '../../users/index.js';
import { SessionProof } from '../logout/session-proof.js';
import { ResetMails } from '../password-reset/reset-mails.js';

@Injectable()
export class ItsNotMeService {
  constructor(
    private readonly proof: SessionProof,
    private readonly accounts: AccountsRepository,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: Sessions,
    private readonly mails: ResetMails,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Locks everything down in one transaction: every session ends, the password stops working, and the owner gets
   * the way back by mail. No quota holds this mail back.
   * @throws ApiError `token_invalid` when the refresh token is not the session's own
   */
  async lockDown(principal: Principal, refreshToken: string): Promise<void> {
    this.proof.assertSameSession(principal, refreshToken);
    const { userId, sessionId, record } = principal;
    const token = this.secrets.prepareResetToken();
    await this.sessions.endAllWith(userId, 'reported_not_me', async () => {
      await this.secrets.issueResetToken(userId, token);
      const credentialVersion = await this.accounts.requirePasswordReset(userId);
      await this.mails.postAlert(record.user.email, token);
      await this.events.recordWith({ kind: 'authn_lockdown', outcome: 'success', userId, sessionId });
      return credentialVersion;
    });
  }
}
