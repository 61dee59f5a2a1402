import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Turns } from '../../common/turns/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import { NewPasswords, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { type Account, AccountAnnouncements, AccountsRepository, isActive, takenNames } from '../../users/index.js';
import { OtpMails } from '../email-verification/otp-mails.js';
import type { RegisterDto } from './register.dto.js';

export interface Registered {
  account: Account;
  /** Whether a code was mailed: an account that replaces an unconfirmed one shares the mail quota of its address. */
  isOtpSent: boolean;
}

/** A request has 4.5 s. */
const LONGEST_WAIT_MS = 4_000;

@Injectable()
export class RegistrationService {
  private readonly turns = new Turns(LONGEST_WAIT_MS);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly announcements: AccountAnnouncements,
    private readonly secrets: OneTimeSecrets,
    private readonly otpMails: OtpMails,
    private readonly newPasswords: NewPasswords,
    private readonly transactions: Transactions,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError `validation_failed` if username or e-mail is taken, or the password is refused */
  async register(dto: RegisterDto): Promise<Registered> {
    // In turn, so that names which the one before has taken are refused without a hash: twenty registrations at once of the same
    // name would otherwise keep every core busy for a second.
    const names = [`username:${dto.username.toLowerCase()}`, `email:${dto.email.toLowerCase()}`];
    return this.turns.take(names, async () => {
      const refusal = await this.refusalOf(dto);
      if (refusal) throw refusal;
      return this.registerInTurn(dto);
    });
  }

  private async registerInTurn(dto: RegisterDto): Promise<Registered> {
    // Hashed before the transaction, which would hold up others while it waits for bcrypt.
    const passwordHash = await this.newPasswords.hash(dto.password, { ownWords: [dto.email, dto.username] });
    const otp = await this.secrets.prepareOtp();
    const registered = this.transactions.run(async () => {
      const squatter = await this.makeRoomFor(dto.email);
      const account = await this.accounts.create({
        lastName: dto.last_name,
        firstName: dto.first_name,
        username: dto.username,
        email: dto.email,
        passwordHash,
      });
      await this.announcements.announceRegistered(account);
      if (squatter) await this.secrets.handOver(squatter.userId, account.userId);
      const isOtpSent = await this.secrets.issueOtpWithinQuota(account.userId, 'email_verification', otp);
      if (isOtpSent) await this.otpMails.post(account.email, otp);
      await this.events.recordWith({ kind: 'user_created', outcome: 'success', userId: account.userId });
      return { account, isOtpSent };
    });
    return registered.catch(async (error: unknown) => {
      throw (error instanceof ApiError && error.fields && (await this.refusalOf(dto))) || error;
    });
  }

  /** The error for both names, since the unique index that refuses an account tells of one only. */
  private async refusalOf({ username, email }: RegisterDto): Promise<ApiError | null> {
    const owner = await this.accounts.findByEmail(email);
    const squatter = owner && this.isSquatter(owner) ? owner : null;
    const namesake = await this.accounts.findByLogin(username);
    const taken: ('username' | 'email')[] = [];
    if (namesake && namesake.userId !== squatter?.userId) taken.push('username');
    if (owner && !squatter) taken.push('email');
    return taken.length > 0 ? takenNames(taken) : null;
  }

  /** Removes an account with this address that was not confirmed in time, so that nobody can squat on an address. */
  private async makeRoomFor(email: string): Promise<Account | null> {
    const squatter = await this.accounts.findByEmail(email);
    if (!squatter || !this.isSquatter(squatter)) return null;
    await this.accounts.deleteUnconfirmed(squatter.userId);
    return squatter;
  }

  /** One that an administrator has disabled or deleted keeps its names. */
  private isSquatter(account: Account): boolean {
    const isLate = account.createdAt.getTime() <= this.clock.nowMs() - this.secrets.otpTtlMs;
    return account.confirmedAt === null && isActive(account) && isLate;
  }
}
