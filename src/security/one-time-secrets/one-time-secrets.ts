import { hash, randomBytes, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { Transactions } from '../../infrastructure/database/index.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import type { OtpPurpose, SecretPurpose } from './one-time-secret.schema.js';
import { type FoundSecret, OneTimeSecretsRepository } from './one-time-secrets.repository.js';

const OTP_DIGITS = 6;
const RESET_TOKEN_BYTES = 32;

export interface IssuedSecret {
  /** The secret itself. It exists only here and in the mail. */
  secret: string;
  expiresAt: Date;
}

/**
 * OTPs and reset tokens: issued, matched, and consumed once. Matching and consuming are two steps, so that a secret can be
 * consumed in the transaction that does what it permits.
 */
@Injectable()
export class OneTimeSecrets {
  constructor(
    private readonly repository: OneTimeSecretsRepository,
    private readonly hasher: PasswordHasher,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly transactions: Transactions,
  ) {}

  get otpTtlMs(): number {
    return this.config.oneTimeSecrets.otpTtlMs;
  }

  /** A new code and its hash; to be called outside of transactions, since hashing takes time. */
  async prepareOtp(): Promise<IssuedSecret & { hash: string }> {
    const secret = String(randomInt(10 ** OTP_DIGITS)).padStart(OTP_DIGITS, '0');
    // bcrypt, since all million codes could be tried against a stolen fast hash within moments (ASVS 5.0 6.5.2).
    return { secret, hash: await this.hasher.hash(secret), expiresAt: this.expiry(this.otpTtlMs) };
  }

  prepareResetToken(): IssuedSecret & { hash: string } {
    const secret = randomBytes(RESET_TOKEN_BYTES).toString('base64url');
    return { secret, hash: hash('sha256', secret), expiresAt: this.expiry(this.config.oneTimeSecrets.resetTtlMs) };
  }

  /**
   * Issues a code within the quota; to be used in a transaction with the mail that carries it.
   * @returns false if the subject has had a code of this purpose less than 60 s ago, or five within the hour
   */
  async issueOtpWithinQuota(subject: string, purpose: OtpPurpose, { hash }: { hash: string }): Promise<boolean> {
    return this.repository.replaceWithinQuota(subject, purpose, hash, this.otpTtlMs);
  }

  /**
   * Whether the quota allows another secret now. To be asked before the transaction that issues it, which asks again: whoever asks for
   * mails without end must not begin one each time, and the lock that only an account has would show that there is one.
   */
  async isWithinQuota(subject: string, purpose: SecretPurpose): Promise<boolean> {
    return this.repository.isWithinQuota(subject, purpose);
  }

  /** When the quota allows another code; now, if it already does. */
  async nextOtpAt(subject: string, purpose: OtpPurpose): Promise<Date> {
    return this.repository.nextIssueAt(subject, purpose);
  }

  /** Issues a token regardless of the quota. */
  async issueResetToken(subject: string, { hash }: { hash: string }): Promise<void> {
    await this.repository.replace(subject, 'password_reset', hash, this.config.oneTimeSecrets.resetTtlMs);
  }

  /**
   * Issues a token within the quota; to be used in a transaction with the mail that carries it.
   * @returns false if the recipient has had a token less than 60 s ago, or five within the hour
   */
  async issueResetTokenWithinQuota(subject: string, { hash }: { hash: string }): Promise<boolean> {
    const { resetTtlMs } = this.config.oneTimeSecrets;
    return this.repository.replaceWithinQuota(subject, 'password_reset', hash, resetTtlMs);
  }

  /**
   * Compares a code with the subject's valid one, which uses up one of its five tries. It takes the same time if there is none.
   * @param subject an account's id, or a {@link decoySubject}; null for an unknown address
   * @throws Error within a transaction, whose failure would give the try back
   */
  async matchOtp(subject: string | null, purpose: OtpPurpose, otp: string): Promise<FoundSecret | null> {
    if (this.transactions.isRunning) throw new Error('matchOtp() belongs before the transaction');
    const found = subject ? await this.repository.reserveTry(subject, purpose) : null;
    const isEqual = await this.hasher.verify(otp, found?.hash ?? null).catch(async (error: unknown) => {
      // Too many hashes are waiting, so nothing was compared.
      if (found) await this.repository.giveTryBack(found);
      throw error;
    });
    return isEqual ? found : null;
  }

  /** For a code that was right, where what it was for has failed. Nothing if it was used meanwhile. */
  async giveTryBack(found: FoundSecret): Promise<void> {
    await this.repository.giveTryBack(found);
  }

  /** Finds the secret of a reset token. Tries need not be counted for 256 random bits. */
  async matchResetToken(token: string): Promise<FoundSecret | null> {
    return this.repository.findLiveByHash('password_reset', hash('sha256', token));
  }

  /** @returns true for exactly one of any number of callers */
  async consume(found: FoundSecret): Promise<boolean> {
    return this.repository.consumeIfUnused(found);
  }

  /** To be called when the password is changed in another way: a link that was mailed before must not change it again. */
  async invalidateResetToken(subject: string): Promise<void> {
    await this.repository.invalidate(subject, 'password_reset');
  }

  /** To be called when an account replaces another with the same address: the address keeps its quota. */
  async handOver(from: string, to: string): Promise<void> {
    await this.repository.handOver(from, to);
  }

  async forgetAll(subject: string): Promise<void> {
    await this.repository.deleteAll(subject);
  }

  /**
   * A decoy subject for an address without an account. Operations that must not reveal whether an account exists do the same
   * with it as with an account: the same look-ups, writes and quota, and a mail that is never sent.
   */
  decoySubject(address: string): string {
    return hash('sha256', `decoy:${address.toLowerCase()}`).slice(0, 24);
  }

  private expiry(ttlMs: number): Date {
    return new Date(this.clock.nowMs() + ttlMs);
  }
}
