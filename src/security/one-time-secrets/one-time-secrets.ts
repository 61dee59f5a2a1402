import { createHash, randomBytes, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { type FoundSecret, OneTimeSecretsRepository } from './one-time-secrets.repository.js';

const OTP_DIGITS = 6;
const RESET_TOKEN_BYTES = 32;

export interface IssuedSecret {
  /** The secret itself. It exists only here and in the mail. */
  secret: string;
  expiresAt: Date;
}

/**
 * OTPs and reset tokens: issued, matched, consumed once. Matching and consuming are two steps, so that the consumption
 * can be part of the transaction that does what the secret permits.
 */
@Injectable()
export class OneTimeSecrets {
  constructor(
    private readonly repository: OneTimeSecretsRepository,
    private readonly hasher: PasswordHasher,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  get otpTtlMs(): number {
    return this.config.oneTimeSecrets.otpTtlMs;
  }

  /** A fresh code and its hash, made outside of any transaction because hashing takes time. */
  async prepareOtp(): Promise<IssuedSecret & { hash: string }> {
    const secret = String(randomInt(10 ** OTP_DIGITS)).padStart(OTP_DIGITS, '0');
    // bcrypt, not a fast hash: a million codes would be tried against a stolen digest in a moment (ASVS 5.0 6.5.2).
    return { secret, hash: await this.hasher.hash(secret), expiresAt: this.expiry(this.otpTtlMs) };
  }

  prepareResetToken(): IssuedSecret & { hash: string } {
    const secret = randomBytes(RESET_TOKEN_BYTES).toString('base64url');
    return { secret, hash: sha256(secret), expiresAt: this.expiry(this.config.oneTimeSecrets.resetTtlMs) };
  }

  /** As {@link issueOtpWithinQuota}, in the caller's transaction. */
  async issueOtpInTransaction(subject: string, { hash }: { hash: string }): Promise<boolean> {
    return this.repository.replaceInTransaction(subject, 'email_verification', hash, this.otpTtlMs);
  }

  /** @returns false when the recipient has had a code less than 60 s ago, or five within the hour */
  async issueOtpWithinQuota(subject: string, { hash }: { hash: string }): Promise<boolean> {
    return this.repository.replaceWithinQuota(subject, 'email_verification', hash, this.otpTtlMs);
  }

  /** When the quota allows another code; now, where it does already. */
  async nextOtpAt(subject: string): Promise<Date> {
    return this.repository.nextIssueAt(subject, 'email_verification');
  }

  async issueResetToken(subject: string, { hash }: { hash: string }): Promise<void> {
    await this.repository.replace(subject, 'password_reset', hash, this.config.oneTimeSecrets.resetTtlMs);
  }

  /** @returns false when the recipient has had a token less than 60 s ago, or five within the hour */
  async issueResetTokenWithinQuota(subject: string, { hash }: { hash: string }): Promise<boolean> {
    const { resetTtlMs } = this.config.oneTimeSecrets;
    return this.repository.replaceWithinQuota(subject, 'password_reset', hash, resetTtlMs);
  }

  /**
   * Compares a code with the subject's live one, at the price of one of its five tries. It takes the same time where
   * there is nothing to compare with.
   * @param subject null for an unknown address
   */
  async matchOtp(subject: string | null, otp: string): Promise<FoundSecret | null> {
    const found = subject ? await this.repository.reserveTry(subject, 'email_verification') : null;
    const isEqual = await this.hasher.verify(otp, found?.hash ?? null);
    return isEqual ? found : null;
  }

  /** The secret that a reset token stands for; 256 random bits need no tries to be counted. */
  async matchResetToken(token: string): Promise<FoundSecret | null> {
    return this.repository.findLiveByHash('password_reset', sha256(token));
  }

  /** @returns true for exactly one of any number of callers */
  async consume(found: FoundSecret): Promise<boolean> {
    return this.repository.consumeIfUnused(found);
  }

  /** One account takes the place of another at the same address: the quota is the address's, and goes on. */
  async handOver(from: string, to: string): Promise<void> {
    await this.repository.handOver(from, to);
  }

  async forgetAll(subject: string): Promise<void> {
    await this.repository.deleteAll(subject);
  }

  /**
   * A stand-in for an address without an account. Flows that must not tell whether an account exists walk the same
   * path with it: same look-ups, same writes, same quota, and in the end a mail that nobody sends.
   */
  decoySubject(address: string): string {
    return sha256(`decoy:${address.toLowerCase()}`).slice(0, 24);
  }

  private expiry(ttlMs: number): Date {
    return new Date(this.clock.nowMs() + ttlMs);
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
