import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import { accountTurn, Authenticator, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { type Account, AccountAnnouncements, AccountsRepository, isActive, NOBODY } from '../../users/index.js';
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

  /** @throws ApiError `invalid_otp`, whatever was wrong */
  async verify(email: string, otp: string): Promise<void> {
    const account = await this.findUnconfirmed(email);
    const subject = account?.userId ?? this.secrets.decoySubject(email);
    const found = await this.secrets.matchOtp(subject, 'email_verification', otp);
    if (!account || !found) throw this.refusal(account);
    // Of parallel submissions of the right code, only the one whose update finds it unused confirms the address. Errors are thrown
    // within the transaction, so that nothing is left half done if the account is removed meanwhile.
    const confirmation = this.transactions.run(async () => {
      const isConfirmed = (await this.secrets.consume(found)) && (await this.accounts.confirmEmail(account.userId));
      if (!isConfirmed) throw this.refusal(account);
      await this.announcements.announceConfirmed(account);
      await this.events.recordWith({ kind: 'email_verified', outcome: 'success', userId: account.userId });
    });
    await confirmation.catch(async (error: unknown) => {
      // The code was right: in an outage, five refusals must not use it up.
      await this.secrets.giveTryBack(found).catch(() => undefined);
      throw error;
    });
    await this.authenticator.forgetAccount(account.userId);
  }

  private refusal(account: Account | null): ApiError {
    this.events.record({ kind: 'email_verification_failed', outcome: 'failure', userId: account?.userId });
    return new ApiError('invalid_otp');
  }

  /** Behaves the same for every address: if there is nothing to confirm, code and mail are decoys. */
  async resend(email: string): Promise<void> {
    const account = await this.findUnconfirmed(email);
    // Before the quota is asked: the time it takes would tell that the address has had a code, as whoever registers has.
    const otp = await this.secrets.prepareOtp();
    const subject = account?.userId ?? this.secrets.decoySubject(email);
    if (!(await this.secrets.isWithinQuota(subject, 'email_verification'))) return;
    await this.transactions.runInTurn([`resend-otp:${subject}`, accountTurn(subject)], async () => {
      // So that a registration that replaces the account comes before or after.
      await this.accounts.lock(account?.userId ?? NOBODY);
      // Registered, confirmed or replaced by another registration meanwhile: that one has a mail of its own, which this would supersede.
      if ((await this.findUnconfirmed(email))?.userId !== account?.userId) return;
      if (!(await this.secrets.issueOtpWithinQuota(subject, 'email_verification', otp))) return;
      await this.otpMails.post(account?.email ?? email, otp, { isDecoy: account === null });
    });
  }

  private async findUnconfirmed(email: string): Promise<Account | null> {
    const account = await this.accounts.findByEmail(email);
    return account && !account.confirmedAt && isActive(account) ? account : null;
  }
}
