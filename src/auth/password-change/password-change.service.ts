import { Injectable } from '@nestjs/common';
import type { RateLimit } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Sessions } from '../../login-history/index.js';
import {
  AccountBackoff,
  AccountQuotas,
  NewPasswords,
  OneTimeSecrets,
  PasswordHasher,
  type Principal,
  SecurityEvents,
} from '../../security/index.js';
import { type Account, AccountsRepository, isActive } from '../../users/index.js';
import { ResetMails } from '../password-reset/reset-mails.js';
import type { ChangePasswordDto } from './password-change.dto.js';

/**
 * Each change kills the link with which the owner would reset the password, and is told to them by mail: a thief who knows it must not go
 * on with that for ever.
 */
const CHANGES: RateLimit = { quota: 5, windowMs: 3_600_000 };

@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly hasher: PasswordHasher,
    private readonly newPasswords: NewPasswords,
    private readonly backoff: AccountBackoff,
    private readonly quotas: AccountQuotas,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: Sessions,
    private readonly mails: ResetMails,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Replaces the password of a caller who knows the current one, and ends the account's other sessions and its reset link.
   * @throws ApiError `validation_failed` for the field at fault, `too_many_requests` after many wrong guesses in a row or five changes
   *   within the hour, 401 with the reason if the session ended while the passwords were hashed
   */
  async change({ userId, sessionId }: Principal, dto: ChangePasswordDto): Promise<void> {
    const account = await this.accounts.findById(userId);
    if (!account) throw new ApiError('session_revoked');
    await this.assertCurrent(account, sessionId, dto.current_password);
    const passwordHash = await this.newPasswords.hash(dto.password, { ownWords: [account.email, account.username] });
    // A recovery ends what a thief has begun, and its owner has five more.
    const use = await this.quotas.use('password change', userId, CHANGES, account.recoveries);
    const change = async () => {
      const credentialVersion = await this.accounts.changePasswordIfCurrent(userId, passwordHash, account.passwordHash);
      if (credentialVersion === null) throw await this.overtaken(userId, sessionId);
      await this.secrets.invalidateResetToken(userId);
      await this.mails.postChanged(account.email, { isSessionKept: true });
      await this.events.recordWith({ kind: 'authn_password_change', outcome: 'success', userId, sessionId });
      return credentialVersion;
    };
    await this.sessions.endAllWith(userId, 'password_changed', change, sessionId).catch(async (error: unknown) => {
      await use.giveBack();
      throw error;
    });
  }

  /** The password was changed meanwhile, by somebody else, which ended this session, or from this session too; or the account closed. */
  private async overtaken(userId: string, sessionId: string): Promise<ApiError> {
    const account = await this.accounts.lock(userId);
    // With the account: of very many sessions, storage may still have those that the change has ended.
    const end = await this.sessions.endOf(sessionId, account);
    if (end) return new ApiError(end);
    return account && isActive(account) ? wrongPassword() : new ApiError('account_disabled');
  }

  /**
   * Delays guesses here as at login, or a stolen session could be used to find out the password. They are counted for the session,
   * so that strangers' guesses at login cannot keep the owner from changing the password.
   */
  private async assertCurrent(account: Account, sessionId: string, password: string): Promise<void> {
    const { userId, recoveries, passwordHash } = account;
    const target = { userId, recoveries, from: sessionId };
    const waitMs = await this.backoff.reserveAttempt(target);
    if (waitMs > 0) {
      this.events.record({ kind: 'authn_login_fail_max', outcome: 'failure', userId, detail: 'password change' });
      throw new ApiError('too_many_requests', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    }
    const isRight = await this.hasher.verify(password, passwordHash).catch(async (error: unknown) => {
      await this.backoff.giveBack(target);
      throw error;
    });
    if (!isRight) {
      this.events.record({ kind: 'authn_login_fail', outcome: 'failure', userId, detail: 'password change' });
      throw wrongPassword();
    }
    await this.backoff.clear(target);
  }
}

function wrongPassword(): ApiError {
  return ApiError.invalidField('current_password', 'current_password is wrong');
}
