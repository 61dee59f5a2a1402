import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Sessions } from '../../login-history/index.js';
import { formatMoment, MailOutbox } from '../../mail/index.js';
import {
  AccountBackoff,
  OneTimeSecrets,
  PasswordBlocklist,
  PasswordHasher,
  SecurityEvents,
} from '../../security/index.js';
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
    private readonly backoff: AccountBackoff,
    private readonly events: SecurityEvents,
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
    if (!found || !account || !isActive(account)) throw this.refusal();
    await this.assertAcceptable(password, account);

    const passwordHash = await this.hasher.hash(password);
    await this.sessions.endAllWith(account.userId, 'password_changed', async () => {
      if (!(await this.secrets.consume(found))) throw this.refusal();
      const credentialVersion = await this.accounts.replacePassword(account.userId, passwordHash);
      await this.announce(account);
      await this.events.recordWith({ kind: 'authn_password_change', outcome: 'success', userId: account.userId });
      return credentialVersion;
    });
    // Whoever owns the mailbox is let in at once, however many have guessed at the account.
    await this.backoff.clear({ userId: account.userId });
  }

  private refusal(): ApiError {
    this.events.record({ kind: 'authn_password_reset_failed', outcome: 'failure' });
    return new ApiError('invalid_reset_token');
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
