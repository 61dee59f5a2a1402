import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { assertSessionClaims, type SessionClaims } from './token-codec.js';
import { TokenSecret } from './token-secret.js';

const TYPE = 'login-report+jwt';
const AUDIENCE = 'account-service/login-report';

/** A login, as its owner may report it. `iat` of the claims is its moment. */
export interface LoginReportClaims extends SessionClaims {
  /** How often the account had been recovered before the login. */
  rec: number;
}

/**
 * What a mail about a new login carries, for the owner to say "this was not me" without being logged in. It locks the
 * account down and lets nobody in. It names how often the account had been recovered, which a lockdown and a reset by mail
 * raise: that alone makes it work once, with nothing stored for it. A change of the password does not make it void: the
 * thief, who knows the password, could change it first.
 */
@Injectable()
export class LoginReportTokens {
  private readonly secret: TokenSecret;
  private readonly ttlMs: number;

  constructor(
    config: Config,
    private readonly clock: Clock,
  ) {
    // The secret of what lives for days: its successor is told to honour it for as long.
    this.secret = new TokenSecret(config.tokens.refreshSecret, config.tokens.previousRefreshSecret);
    this.ttlMs = config.oneTimeSecrets.reportTtlMs;
  }

  issue(login: { userId: string; sessionId: string; recoveries: number; loggedInAt: Date }): string {
    const atMs = login.loggedInAt.getTime();
    return this.secret.sign(TYPE, {
      id: login.userId,
      sid: login.sessionId,
      rec: login.recoveries,
      iat: Math.floor(atMs / 1000),
      exp: Math.floor((atMs + this.ttlMs) / 1000),
      aud: AUDIENCE,
    });
  }

  /** @throws ApiError `report_link_invalid` or `report_link_expired` */
  verify(token: string): LoginReportClaims {
    try {
      const decoded = this.secret.verify(token);
      const claims = assertSessionClaims(decoded, { type: TYPE, audience: AUDIENCE, clock: this.clock });
      if (!Number.isSafeInteger(claims.rec)) throw new ApiError('token_invalid');
      return claims as unknown as LoginReportClaims;
    } catch (error) {
      const isExpired = error instanceof ApiError && error.code === 'token_expired';
      throw new ApiError(isExpired ? 'report_link_expired' : 'report_link_invalid', { cause: error });
    }
  }
}
