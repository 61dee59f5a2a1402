import { Injectable } from '@nestjs/common';
import { ApiError, type ErrorCode } from '../../common/errors/index.js';
import { currentRequest } from '../../common/http/index.js';
import { Authenticator, OneTimeSecrets, PasswordHasher, SecurityEvents } from '../../security/index.js';
import { type Account, AccountsRepository, isActive, toAccountFacts, toUserDto } from '../../users/index.js';
import type { Client } from './client.decorator.js';
import type { LoggedInDto } from './login.dto.js';
import { LoginAdmission } from './login-admission.js';
import { NewDeviceNotice } from './new-device-notice.js';
import { type OpenedSession, SessionOpening } from './session-opening.js';

@Injectable()
export class LoginService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly hasher: PasswordHasher,
    private readonly secrets: OneTimeSecrets,
    private readonly authenticator: Authenticator,
    private readonly sessionOpening: SessionOpening,
    private readonly newDeviceNotice: NewDeviceNotice,
    private readonly admission: LoginAdmission,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * @param login username or e-mail address
   * @throws ApiError `invalid_credentials`, the same for an unknown name, a wrong password and a disabled account;
   * `email_not_verified` and `password_reset_required` only after the right password; `too_many_login_attempts` after many failures in a row
   */
  async login(login: string, password: string, client: Client): Promise<LoggedInDto> {
    const account = await this.accounts.findByLogin(login);
    const attempt = await this.admission.admit(account, login, client);
    const isRightPassword = await this.hasher
      .verify(password, account?.passwordHash ?? null)
      .catch(async (error: unknown) => {
        await this.admission.notMade(attempt);
        throw error;
      });
    if (!account || !isRightPassword || !isActive(account)) throw this.refusal('invalid_credentials', account);
    await this.admission.succeeded(attempt);
    if (!account.confirmedAt) {
      const resendAvailableAt = await this.secrets.nextOtpAt(account.userId, 'email_verification');
      throw this.refusal('email_not_verified', account, { email: account.email, resendAvailableAt });
    }
    if (account.isPasswordResetRequired) throw this.refusal('password_reset_required', account);

    const session = await this.sessionOpening.open(account, client);
    const record = await this.authenticator.remember(account.userId, async () =>
      toAccountFacts(await this.confirm(account, session)),
    );
    await this.newDeviceNotice.consider(account, session);
    if (currentRequest()?.isOver) {
      // Refused because it took too long, or its caller is gone: nobody has these tokens.
      await this.sessionOpening.withdraw(session);
      throw new ApiError('service_unavailable');
    }
    const { userId } = account;
    this.events.record({ kind: 'authn_login_success', outcome: 'success', userId, sessionId: session.sessionId });
    return { user: toUserDto(record), ...session.answer };
  }

  private refusal(
    code: ErrorCode,
    account: Account | null,
    details: { email?: string; resendAvailableAt?: Date } = {},
  ): ApiError {
    this.events.record({ kind: 'authn_login_fail', outcome: 'failure', userId: account?.userId, detail: code });
    return new ApiError(code, details);
  }

  /**
   * The account may have been closed, or its password changed, during the bcrypt comparison, or between the two reads before it,
   * which then found the old hash and the new version. Read again only once the session is stored: what closes the account or changes
   * the password later than this read finds the session and ends it.
   */
  private async confirm(
    { userId, credentialVersion, passwordHash }: Account,
    session: OpenedSession,
  ): Promise<Account> {
    try {
      const account = await this.accounts.findById(userId);
      const isSamePassword = account?.passwordHash === passwordHash;
      if (!account || !isActive(account) || !isSamePassword) throw this.refusal('invalid_credentials', account);
      if (account.isPasswordResetRequired) throw this.refusal('password_reset_required', account);
      if (account.credentialVersion !== credentialVersion) throw this.refusal('invalid_credentials', account);
      return account;
    } catch (error) {
      await this.sessionOpening.withdraw(session);
      throw error;
    }
  }
}
