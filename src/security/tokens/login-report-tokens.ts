import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { assertSessionClaims, type SessionClaims } from './token-codec.js';
import { TokenSecret } from './token-secret.js';

const TYPE = 'login-report+jwt';
const AUDIENCE = 'account-service/login-report';

/** The login that a report link is about; `iat` is when it happened. */
export interface LoginReportClaims extends SessionClaims {
  /** How often the account had been recovered before the login. */
  rec: number;
}

/**
 * Tokens in mails about a new login, with which the owner can report "this was not me" without being logged in. Such a token locks
 * the account down, and lets nobody in. It contains how often the account had been recovered: a lockdown and a reset by mail
 * increment that number, so the token works once without anything being stored for it. A change of the password does not
 * invalidate it: a thief who knows the password could change it first.
 */
@Injectable()
export class LoginReportTokens {
  private readonly secret: TokenSecret;
  private readonly ttlMs: number;

  constructor(
    config: Config,
    private readonly clock: Clock,
  ) {
    // Signed with the refresh secret: both kinds live for days, and after a rotation its predecessor stays valid for that long.
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
