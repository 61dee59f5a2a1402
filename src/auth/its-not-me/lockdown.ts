import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import { KnownDevicesRepository, Sessions } from '../../login-history/index.js';
import { OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { AccountAnnouncements, AccountsRepository, isActive } from '../../users/index.js';
import { ResetMails } from '../password-reset/reset-mails.js';

/** The account to lock down, and the login that was reported. */
export interface ReportedLogin {
  userId: string;
  sessionId: string;
  recoveries?: number;
}

/** Locks an account down after its owner has reported a login. */
@Injectable()
export class Lockdown {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly announcements: AccountAnnouncements,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: Sessions,
    private readonly knownDevices: KnownDevicesRepository,
    private readonly mails: ResetMails,
    private readonly events: SecurityEvents,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Locks everything down in one transaction: every session ends, the password stops working, no device is known any more, and a
   * reset link is mailed to the owner. This mail is exempt from the quota. An account that is disabled or deleted can be locked down by
   * the count alone, and gets no mail: if it is opened again, the password that is known to somebody else must not let them in.
   * @param login.recoveries locks down only if the account has been recovered this many times: of any number of calls with the
   *   same count exactly one succeeds. Without it, locks down only if the session has not ended
   * @throws ApiError `report_link_used` if the count differs; without a count, 401 with the reason
   */
  async lockDown({ userId, sessionId, recoveries }: ReportedLogin): Promise<void> {
    const token = this.secrets.prepareResetToken();
    let isLockedDown = false;
    const lock = async () => {
      // The address as it is stored, too: what lies in the cache might send the link to somebody else.
      const account = await this.accounts.lock(userId);
      // Read after the account was locked: whatever ended the session meanwhile wrote the account too, and so has finished. A
      // second lockdown would invalidate the link in the first one's mail, or undo a reset that has just succeeded.
      const end = recoveries === undefined ? await this.sessions.endOf(sessionId, account) : null;
      if (end) throw new ApiError(end);
      const isOpen = account !== null && isActive(account);
      const isDue = account && (recoveries === undefined ? isOpen : recoveries === account.recoveries);
      const credentialVersion = isDue ? await this.accounts.requirePasswordReset(userId) : null;
      if (!isDue || credentialVersion === null)
        throw new ApiError(recoveries === undefined ? 'account_disabled' : 'report_link_used');
      await this.knownDevices.forgetAll(userId);
      if (isOpen) {
        await this.secrets.issueResetToken(userId, token);
        await this.mails.postAlert(account.email, token);
      }
      await this.events.recordWith({ kind: 'authn_lockdown', outcome: 'success', userId, sessionId });
      this.transactions.afterCommit(() => {
        isLockedDown = true;
      });
      return credentialVersion;
    };
    try {
      await this.sessions.endAllWith(userId, 'reported_not_me', lock);
    } finally {
      // Even if the database fails after the commit: a report cannot be repeated.
      if (isLockedDown) await this.announcements.announceReported(userId);
    }
  }
}
