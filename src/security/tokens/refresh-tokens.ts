import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { assertSessionClaims, type SessionClaims } from './token-codec.js';
import { TokenSecret } from './token-secret.js';

const TYPE = 'rt+jwt';
const AUDIENCE = 'account-service/refresh';

export interface RefreshClaims extends SessionClaims {
  /** Generation of the session for which the token was issued: the number of rotations before it. */
  gen: number;
  /** When the login was, in seconds since the Unix epoch: with it a rotation need not read the session first. */
  auth_time: number;
}

/** The state of a session that determines its current refresh token. */
export interface RefreshState {
  userId: string;
  sessionId: string;
  generation: number;
  /** When the rotation was that began this generation; for the first, when the login was. */
  rotatedAt: Date;
  loggedInAt: Date;
}

/**
 * Refresh tokens. A token is a pure function of the session's state: so the successor can be computed again for a client that did
 * not receive it, although only its hash is stored.
 */
@Injectable()
export class RefreshTokens {
  private readonly secret: TokenSecret;
  private readonly ttlMs: number;
  private readonly sessionMaxAgeMs: number;

  constructor(
    config: Config,
    private readonly clock: Clock,
  ) {
    this.secret = new TokenSecret(config.tokens.refreshSecret, config.tokens.previousRefreshSecret);
    this.ttlMs = config.tokens.refreshTtlMs;
    this.sessionMaxAgeMs = config.tokens.sessionMaxAgeMs;
  }

  issue({ userId, sessionId, generation, rotatedAt, loggedInAt }: RefreshState): string {
    return this.secret.sign(TYPE, {
      id: userId,
      sid: sessionId,
      gen: generation,
      auth_time: wholeSeconds(loggedInAt),
      jti: `${sessionId}.${generation}`,
      iat: wholeSeconds(rotatedAt),
      exp: wholeSeconds(this.expiryOf({ rotatedAt, loggedInAt })),
      aud: AUDIENCE,
    });
  }

  /** When the session's current token expires. */
  expiryOf({ rotatedAt, loggedInAt }: Pick<RefreshState, 'rotatedAt' | 'loggedInAt'>): Date {
    const latestMs = wholeSeconds(loggedInAt) * 1000 + this.sessionMaxAgeMs;
    return new Date(Math.min(rotatedAt.getTime() + this.ttlMs, latestMs));
  }

  /** @throws ApiError `token_expired`, by the lifetimes of today if they are shorter than when it was issued, or `token_invalid` */
  verify(token: string): RefreshClaims {
    const claims = this.read(token, false);
    const times = { rotatedAt: new Date(claims.iat * 1000), loggedInAt: new Date(claims.auth_time * 1000) };
    if (this.expiryOf(times).getTime() <= this.clock.nowMs()) throw new ApiError('token_expired');
    return claims;
  }

  /**
   * Checks that the caller has both tokens of a session, as required for ending it; the refresh token may have expired.
   * @throws ApiError `token_invalid` if it is of another session
   */
  verifyOwnership(token: string, { userId, sessionId }: { userId: string; sessionId: string }): void {
    const claims = this.read(token, true);
    if (claims.sid !== sessionId || claims.id !== userId) throw new ApiError('token_invalid');
  }

  private read(token: string, mayBeExpired: boolean): RefreshClaims {
    const decoded = this.secret.verify(token);
    const claims = assertSessionClaims(decoded, { type: TYPE, audience: AUDIENCE, clock: this.clock, mayBeExpired });
    if (!Number.isSafeInteger(claims.gen) || !Number.isSafeInteger(claims.auth_time))
      throw new ApiError('token_invalid');
    return claims as unknown as RefreshClaims;
  }
}

/** As tokens hold them, so that the time in storage and the time in the previous token yield the same token. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
