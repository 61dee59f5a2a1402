import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { assertSessionClaims, type DecodedToken, type SessionClaims } from './token-codec.js';
import { TokenSecret } from './token-secret.js';

const TYPE = 'at+jwt';
const AUDIENCE = 'account-service/access';

/** Access tokens (typed `at+jwt` as in RFC 9068): short-lived bearer tokens that contain only the ids of a user and a session. */
@Injectable()
export class AccessTokens {
  readonly secret: TokenSecret;
  /** Lifetime in seconds, as clients see it in `expires_in`. */
  readonly ttlSeconds: number;

  constructor(
    config: Config,
    private readonly clock: Clock,
  ) {
    this.secret = new TokenSecret(config.tokens.accessSecret, config.tokens.previousAccessSecret);
    this.ttlSeconds = Math.floor(config.tokens.accessTtlMs / 1000);
  }

  issue(userId: string, sessionId: string): string {
    const iat = Math.floor(this.clock.nowMs() / 1000);
    // Without the random `jti`, two tokens of the same second would be the same token.
    const jti = randomBytes(16).toString('base64url');
    return this.secret.sign(TYPE, {
      id: userId,
      sid: sessionId,
      jti,
      iat,
      exp: iat + this.ttlSeconds,
      aud: AUDIENCE,
    });
  }

  /**
   * Verifies a token that does not come in a request's header, such as in the first message of a WebSocket. It does not check the
   * session: `Authenticator.authenticate()` does.
   * @throws ApiError `token_expired` or `token_invalid`
   */
  verify(token: string): SessionClaims {
    return this.assertClaims(this.secret.verify(token));
  }

  /** For a token whose signature is verified already. @throws ApiError `token_expired` or `token_invalid` */
  assertClaims(decoded: DecodedToken): SessionClaims {
    return assertSessionClaims(decoded, { type: TYPE, audience: AUDIENCE, clock: this.clock });
  }
}
