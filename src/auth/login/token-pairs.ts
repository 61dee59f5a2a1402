import { Injectable } from '@nestjs/common';
import { AccessTokens, type RefreshState, RefreshTokens } from '../../security/index.js';
import type { TokensDto } from './tokens.dto.js';

/** Issues the two tokens of a session, at a login and at each refresh. */
@Injectable()
export class TokenPairs {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
  ) {}

  issue(state: RefreshState): TokensDto {
    const { token, expiresIn } = this.accessTokens.issue(state);
    return { token, refresh_token: this.refreshTokens.issue(state), expires_in: expiresIn };
  }
}
