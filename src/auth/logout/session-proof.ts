import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { type Principal, RefreshTokens } from '../../security/index.js';

/** Checks that the caller has both tokens of a session, as required for ending it. */
@Injectable()
export class SessionProof {
  constructor(private readonly refreshTokens: RefreshTokens) {}

  /** @throws ApiError `token_invalid` if the refresh token is of another session than the bearer token */
  assertSameSession({ userId, sessionId }: Principal, refreshToken: string): void {
    const claims = this.refreshTokens.verifyOwnership(refreshToken);
    if (claims.sid !== sessionId || claims.id !== userId) throw new ApiError('token_invalid');
  }
}
