import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { currentRequest } from '../../common/http/index.js';
import type { Promisable } from '../../common/promisable/index.js';
import { recentlyUsed } from '../../common/recently-used/index.js';
import { Authenticator } from '../authentication/authenticator.js';
import type { Principal } from '../authentication/principal.js';
import { AccessTokens } from './access-tokens.js';
import type { DecodedToken, SessionClaims } from './token-codec.js';

/** Tokens to remember, of about a kilobyte each. */
const TOKENS_REMEMBERED = 10_000;

/** RFC 6750 section 2.1: from the header only; tokens in a query string or a body are ignored. */
export function bearerToken(request: Pick<FastifyRequest, 'headers'>): string | null {
  return /^Bearer +([^\s,]+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** Checks in the specification's order: signature and expiry, then the cached record or storage, then the session. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) implements OnApplicationShutdown {
  /**
   * A unique name: Passport's register is shared by the whole process, and with a common name the application that was started
   * last would authenticate for all others, with its own clock and cache.
   */
  readonly registeredAs = `jwt-${randomUUID()}`;

  /** Tokens whose signature was verified, which cannot change. Times, claims and session are checked at every request. */
  private readonly verified = recentlyUsed<DecodedToken>(TOKENS_REMEMBERED);

  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly authenticator: Authenticator,
  ) {
    super({
      jwtFromRequest: bearerToken as never,
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: null, key: Buffer) => void) =>
        done(null, accessTokens.secret.keyOf(token) as unknown as Buffer),
      algorithms: ['HS256'],
      ignoreExpiration: true,
      passReqToCallback: true,
      jsonWebTokenOptions: { complete: true, ignoreNotBefore: true },
    });
    // Nest has registered it under the strategy's own name.
    passport.unuse('jwt');
    passport.use(this.registeredAs, this);
  }

  /** The content of a token that an earlier request verified; null if its signature has yet to be verified. */
  recall(token: string): DecodedToken | null {
    return this.verified.get(token) ?? null;
  }

  /** Called by Passport for a token whose signature it has verified. */
  async validate(request: FastifyRequest, decoded: DecodedToken): Promise<Principal> {
    const claims = this.claimsOf(decoded);
    this.verified.set(bearerToken(request) as string, decoded);
    return this.authenticator.authenticate(claims);
  }

  /** @throws ApiError 401 if the token has expired, or its account or session is no longer valid */
  principalOf(remembered: DecodedToken): Promisable<Principal> {
    return this.authenticator.principalOf(this.claimsOf(remembered));
  }

  /** Also tells security events whose request it is, though the token, its account or session may turn out to be over. */
  private claimsOf(verified: DecodedToken): SessionClaims {
    const claims = this.accessTokens.claimsOf(verified);
    const request = currentRequest();
    if (request) request.callerId = claims.id;
    this.accessTokens.assertLives(claims);
    return claims;
  }

  onApplicationShutdown(): void {
    passport.unuse(this.registeredAs);
  }
}
