import { Injectable } from '@nestjs/common';
import { Sessions } from '../../login-history/index.js';
import { Authenticator, type Principal, RefreshTokens, SecurityEvents } from '../../security/index.js';

@Injectable()
export class LogoutService {
  constructor(
    private readonly refreshTokens: RefreshTokens,
    private readonly sessions: Sessions,
    private readonly authenticator: Authenticator,
    private readonly events: SecurityEvents,
  ) {}

  /** @throws ApiError `token_invalid` if the refresh token is not of the caller's session, or 401 with the reason if that has ended */
  async logout(principal: Principal, refreshToken: string, isForAllSessions: boolean): Promise<void> {
    this.refreshTokens.verifyOwnership(refreshToken, principal);
    const { userId, sessionId } = principal;
    const byOwner = this.sessions.byOwner(principal);
    if (isForAllSessions) {
      await this.sessions.endAll(userId, 'logged_out', { run: byOwner, lastId: sessionId });
    } else {
      await this.sessions.end(sessionId, 'logged_out', byOwner);
      await this.authenticator.forgetAccount(userId);
    }
    const detail = isForAllSessions ? 'all sessions' : undefined;
    this.events.record({ kind: 'authn_logout', outcome: 'success', userId, sessionId, detail });
  }
}
