import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Sessions } from '../../login-history/index.js';
import { formatMoment, MailOutbox } from '../../mail/index.js';
import { OneTimeSecrets, PasswordBlocklist, PasswordHasher } from '../../security/index.js';
import { type Account, AccountsRepository, isActive } from '../../users/index.js';
import { ResetLinks } from './reset-links.js';

const WORTH_KNOWING_FOR_MS = 86_400_000;

@Injectable()
export class PasswordResetService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly secrets: OneTimeSecrets,
    private readonly hasher: PasswordHasher,
    private readonly blocklist: PasswordBlocklist,
    private readonly sessions: Sessions,
    private readonly outbox: MailOutbox,
    private readonly links: ResetLinks,
    private readonly clock: Clock,
  ) {}

  /**
   * Replaces the password and ends every session. Token, password and sessions change in one transaction: of parallel
   * resets with one token, one wins, and only its password logs in.
   * @throws ApiError `invalid_reset_token`, or `validation_failed` when the password is refused; then the token lives on
   */
  async reset(token: string, password: string): Promise<void> {
    const found = await this.secrets.matchResetToken(token);
    const account = found && (await this.accounts.findById(found.subject));
    if (!found || !account || !isActive(account)) throw new ApiError('invalid_reset_token');
    await this.assertAcceptable(password, account);

    const passwordHash = await this.hasher.hash(password);
    await this.sessions.endAllWith(account.userId, 'password_changed', async () => {
      if (!(await this.secrets.consume(found))) throw new ApiError('invalid_reset_token');
      const credentialVersion = await this.accounts.replacePassword(account.userId, passwordHash);
      await this.announce(account);
      return credentialVersion;
    });
  }

  private async assertAcceptable(password: string, account: Account): Promise<void> {
    this.blocklist.assertAllowed(password, [account.email, account.username]);
    // After its-not-me somebody else may know the old one.
    if (account.isPasswordResetRequired && (await this.hasher.verify(password, account.passwordHash))) {
      throw ApiError.invalidField('password', 'password must differ from the previous one');
    }
  }

  private async announce({ email }: Account): Promise<void> {
    await this.outbox.post({
      kind: 'password-changed',
      to: email,
      context: { changed_at: formatMoment(this.clock.now()), reset_url: this.links.forgotPasswordUrl },
      expiresAt: new Date(this.clock.nowMs() + WORTH_KNOWING_FOR_MS),
    });
  }
}
