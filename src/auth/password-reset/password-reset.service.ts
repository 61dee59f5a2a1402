import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Sessions } from '../../login-history/index.js';
import { NewPasswords, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { type Account, AccountsRepository, isActive } from '../../users/index.js';
import { ResetMails } from './reset-mails.js';

@Injectable()
export class PasswordResetService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly secrets: OneTimeSecrets,
    private readonly newPasswords: NewPasswords,
    private readonly sessions: Sessions,
    private readonly mails: ResetMails,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Replaces the password, and ends every session and the delay of logins. Token, password and sessions change in one
   * transaction: of parallel resets with the same token exactly one succeeds, and only its password is valid.
   * @throws ApiError `invalid_reset_token`, or `validation_failed` if the password is refused; the token then stays valid
   */
  async reset(token: string, password: string): Promise<void> {
    const found = await this.secrets.matchResetToken(token);
    const account = found && (await this.accounts.findById(found.subject));
    if (!found || !account || !isActive(account)) throw this.refusal();
    const { userId, email } = account;
    const passwordHash = await this.hash(password, account);

    await this.sessions.endAllWith(userId, 'password_changed', async () => {
      const credentialVersion = await this.accounts.resetPassword(userId, passwordHash);
      if (credentialVersion === null || !(await this.secrets.consume(found))) throw this.refusal();
      await this.mails.postChanged(email, { isSessionKept: false });
      await this.events.recordWith({ kind: 'authn_password_change', outcome: 'success', userId });
      return credentialVersion;
    });
  }

  /** After its-not-me somebody else may know the old password, so it must not be chosen again. */
  private async hash(password: string, account: Account): Promise<string> {
    return this.newPasswords.hash(password, {
      ownWords: [account.email, account.username],
      refusedHash: account.isPasswordResetRequired ? account.passwordHash : undefined,
    });
  }

  private refusal(): ApiError {
    this.events.record({ kind: 'authn_password_reset_failed', outcome: 'failure' });
    return new ApiError('invalid_reset_token');
  }
}
