import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import type { RefreshState } from './refresh-tokens.js';
import { assertSessionClaims, type DecodedToken, type SessionClaims } from './token-codec.js';
import { TokenSecret } from './token-secret.js';

type Session = Pick<RefreshState, 'userId' | 'sessionId' | 'loggedInAt'>;

const TYPE = 'at+jwt';
const AUDIENCE = 'account-service/access';

/** Access tokens (typed `at+jwt` as in RFC 9068): short-lived bearer tokens that contain only the ids of a user and a session. */
@Injectable()
export class AccessTokens {
  readonly secret: TokenSecret;
  private readonly ttlMs: number;
  private readonly sessionMaxAgeMs: number;

  constructor(
    config: Config,
    private readonly clock: Clock,
  ) {
    this.secret = new TokenSecret(config.tokens.accessSecret, config.tokens.previousAccessSecret);
    this.ttlMs = config.tokens.accessTtlMs;
    this.sessionMaxAgeMs = config.tokens.sessionMaxAgeMs;
  }

  /**
   * Issues a token that expires with its session at the latest.
   * @returns the token and its lifetime in seconds
   * @throws ApiError `token_expired` if the session has reached its greatest age, perhaps while a refresh waited for the database
   */
  issue({ userId, sessionId, loggedInAt }: Session): { token: string; expiresIn: number } {
    const iat = Math.floor(this.clock.nowMs() / 1000);
    const exp = Math.floor(this.expiryOf(new Date(iat * 1000), loggedInAt).getTime() / 1000);
    if (exp <= iat) throw new ApiError('token_expired');
    // Without the random `jti`, two tokens of the same second would be the same token.
    const jti = randomBytes(16).toString('base64url');
    const token = this.secret.sign(TYPE, { id: userId, sid: sessionId, jti, iat, exp, aud: AUDIENCE });
    return { token, expiresIn: exp - iat };
  }

  /** When a token expires that was issued then. */
  expiryOf(issuedAt: Date, loggedInAt: Date): Date {
    return new Date(Math.min(issuedAt.getTime() + this.ttlMs, loggedInAt.getTime() + this.sessionMaxAgeMs));
  }

  /**
   * Verifies a token that does not come in a request's header, such as in the first message of a WebSocket. It does not check the
   * session: `Authenticator.authenticate()` does.
   * @throws ApiError `token_expired` or `token_invalid`
   */
  verify(token: string): SessionClaims {
    const claims = this.claimsOf(this.secret.verify(token));
    this.assertLives(claims);
    return claims;
  }

  /**
   * What a token says whose signature is verified already. It may have expired: {@link assertLives}.
   * @throws ApiError `token_invalid`
   */
  claimsOf(decoded: DecodedToken): SessionClaims {
    return assertSessionClaims(decoded, { type: TYPE, audience: AUDIENCE, clock: this.clock, mayBeExpired: true });
  }

  /** @throws ApiError `token_expired`, by the lifetime of today if it is shorter than when the token was issued */
  assertLives({ iat, exp }: SessionClaims): void {
    if (Math.min(exp * 1000, iat * 1000 + this.ttlMs) <= this.clock.nowMs()) throw new ApiError('token_expired');
  }
}
