import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Authenticator, PasswordHasher } from '../../security/index.js';
import { type Account, AccountsRepository, isActive, toAuthRecord, toUserDto } from '../../users/index.js';
import type { Client } from './client.decorator.js';
import type { LoggedInDto } from './login.dto.js';
import { SessionOpening } from './session-opening.js';

@Injectable()
export class LoginService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly hasher: PasswordHasher,
    private readonly authenticator: Authenticator,
    private readonly sessionOpening: SessionOpening,
  ) {}

  /**
   * @param login username or e-mail address
   * @throws ApiError `invalid_credentials`, the same for an unknown name, a wrong password and a disabled account;
   * `email_not_verified` and `password_reset_required` only after the right password
   */
  async login(login: string, password: string, client: Client): Promise<LoggedInDto> {
    const account = await this.accounts.findByLogin(login);
    const isRightPassword = await this.hasher.verify(password, account?.passwordHash ?? null);
    if (!account || !isRightPassword || !isActive(account)) throw new ApiError('invalid_credentials');
    if (!account.confirmedAt) throw new ApiError('email_not_verified');
    if (account.isPasswordResetRequired) throw new ApiError('password_reset_required');

    const tokens = this.sessionOpening.issueTokens(account);
    const record = await this.authenticator.remember(account.userId, async () =>
      toAuthRecord(await this.reread(account)),
    );
    await this.sessionOpening.record(tokens, account, client);
    return { user: toUserDto(record), ...tokens.answer };
  }

  /** The password may have been changed while bcrypt was busy; then this login comes too late. */
  private async reread({ userId, credentialVersion }: Account): Promise<Account> {
    const account = await this.accounts.findById(userId);
    if (!account || !isActive(account) || account.credentialVersion !== credentialVersion) {
      throw new ApiError('invalid_credentials');
    }
    return account;
  }
}
