import { Injectable } from '@nestjs/common';
import { Transactions } from '../../infrastructure/database/index.js';
import { accountTurn, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { type Account, AccountsRepository, isActive, NOBODY } from '../../users/index.js';
import { ResetMails } from './reset-mails.js';

@Injectable()
export class ForgotPasswordService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly secrets: OneTimeSecrets,
    private readonly mails: ResetMails,
    private readonly transactions: Transactions,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Mails a reset token. It does not change the account, and behaves the same for every address: for one without an account,
   * token and mail are decoys.
   */
  async request(email: string): Promise<void> {
    const found = await this.accounts.findByEmail(email);
    const account = found && isActive(found) ? found : null;
    const subject = account?.userId ?? this.secrets.decoySubject(email);
    if (await this.secrets.isWithinQuota(subject, 'password_reset')) await this.issue(email, account, subject);
    this.events.record({ kind: 'authn_password_reset_requested', outcome: 'success', userId: account?.userId });
  }

  private async issue(email: string, account: Account | null, subject: string): Promise<void> {
    const token = this.secrets.prepareResetToken();
    await this.transactions.runInTurn([`forgot-password:${subject}`, accountTurn(subject)], async () => {
      // Closed meanwhile, or replaced by another registration, which would make the link useless.
      const locked = await this.accounts.lock(account?.userId ?? NOBODY);
      if (account && !(locked && isActive(locked))) return;
      if (!(await this.secrets.issueResetTokenWithinQuota(subject, token))) return;
      await this.mails.postLink(account?.email ?? email, token, { isDecoy: account === null });
    });
  }
}
