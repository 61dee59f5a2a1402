import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Sessions } from '../../login-history/index.js';
import { OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { AccountAnnouncements, AccountsRepository } from '../../users/index.js';
import { ResetMails } from '../password-reset/reset-mails.js';

/** Whose account is locked down, and which of its logins is the reason. */
export interface ReportedLogin {
  userId: string;
  email: string;
  sessionId: string;
  recoveries?: number;
}

/** What follows when a login was not its owner's. */
@Injectable()
export class Lockdown {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly announcements: AccountAnnouncements,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: Sessions,
    private readonly mails: ResetMails,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Locks everything down in one transaction: every session ends, the password stops working, and the owner gets
   * the way back by mail. No quota holds this mail back.
   * @param login.recoveries only if so many have been: of any number of calls with one count exactly one locks down;
   * without it, only if the session is still open
   * @throws ApiError `report_link_used` when there have been others, `session_revoked` when the session has ended
   */
  async run({ userId, email, sessionId, recoveries }: ReportedLogin): Promise<void> {
    const token = this.secrets.prepareResetToken();
    await this.sessions.endAllWith(userId, 'reported_not_me', async () => {
      const credentialVersion = await this.accounts.requirePasswordReset(userId, recoveries);
      // Asked after the account was written: whoever ended the session meanwhile wrote it too, and is waited for. A second
      // lockdown would make the link in the mail of the first void, and undo a reset that has just succeeded.
      const isDue = credentialVersion !== null && (recoveries !== undefined || (await this.sessions.isOpen(sessionId)));
      if (!isDue) throw new ApiError(recoveries === undefined ? 'session_revoked' : 'report_link_used');
      await this.secrets.issueResetToken(userId, token);
      await this.mails.postAlert(email, token);
      await this.events.recordWith({ kind: 'authn_lockdown', outcome: 'success', userId, sessionId });
      return credentialVersion;
    });
    await this.announcements.announceReported(userId);
  }
}
