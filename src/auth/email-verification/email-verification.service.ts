import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import { Authenticator, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { type Account, AccountAnnouncements, AccountsRepository, isActive } from '../../users/index.js';
import { OtpMails } from './otp-mails.js';

@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly announcements: AccountAnnouncements,
    private readonly secrets: OneTimeSecrets,
    private readonly otpMails: OtpMails,
    private readonly authenticator: Authenticator,
    private readonly transactions: Transactions,
    private readonly events: SecurityEvents,
  ) {}

  /** @throws ApiError `invalid_otp`, the same whatever was wrong */
  async verify(email: string, otp: string): Promise<void> {
    const account = await this.findUnconfirmed(email);
    const found = await this.secrets.matchOtp(account?.userId ?? null, otp);
    if (!account || !found) throw this.refusal(account);
    // Of parallel submissions of the right code, the one whose update finds it unused confirms the address. Thrown within
    // the transaction: of an account that is gone meanwhile nothing is left half changed.
    await this.transactions.run(async () => {
      const isConfirmed = (await this.secrets.consume(found)) && (await this.accounts.confirmEmail(account.userId));
      if (!isConfirmed) throw this.refusal(account);
      await this.announcements.announceConfirmed(account);
    });
    this.events.record({ kind: 'email_verified', outcome: 'success', userId: account.userId });
    await this.authenticator.forgetAccount(account.userId);
  }

  private refusal(account: Account | null): ApiError {
    this.events.record({ kind: 'email_verification_failed', outcome: 'failure', userId: account?.userId });
    return new ApiError('invalid_otp');
  }

  /** Alike for every address: for one that has nothing to confirm, the code and the mail are decoys. */
  async resend(email: string): Promise<void> {
    const account = await this.findUnconfirmed(email);
    const otp = await this.secrets.prepareOtp();
    const subject = account?.userId ?? this.secrets.decoySubject(email);
    if (!(await this.secrets.issueOtpWithinQuota(subject, otp))) return;
    await this.otpMails.post(account?.email ?? email, otp, { isDecoy: account === null });
  }

  private async findUnconfirmed(email: string): Promise<Account | null> {
    const account = await this.accounts.findByEmail(email);
    return account && !account.confirmedAt && isActive(account) ? account : null;
  }
}
