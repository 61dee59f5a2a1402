import { createSecretKey, type KeyObject } from 'node:crypto';
import type { JwtService } from '@nestjs/jwt';
import type { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';

export const ISSUER = 'account-service';
/** How far ahead the clock of another instance may be. */
const CLOCK_SKEW_SECONDS = 60;
const OBJECT_ID = /^[0-9a-f]{24}$/;

/** What `jsonwebtoken` yields with `complete: true`. */
export interface DecodedToken {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
}

export interface SessionClaims {
  /** User id. */
  id: string;
  /** Session id: the `_id` of the login-history entry. */
  sid: string;
  /** Issued at, seconds since the Unix epoch. */
  iat: number;
  /** Expires at, seconds since the Unix epoch. */
  exp: number;
}

/**
 * A key made once. Handed a string, `jsonwebtoken` tries to parse it as a public key at every verification, which
 * costs eight times the rest of the request.
 */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret));
}

/**
 * Checks what a valid signature does not: explicit type (RFC 8725 section 3.11), issuer, audience, times, and that the
 * ids are ids, because cache keys are built from them. `jsonwebtoken` would accept a token without `exp`.
 * @throws ApiError `token_expired`, or `token_invalid` for anything else.
 */
export function assertSessionClaims(
  { header, payload }: DecodedToken,
  expected: { type: string; audience: string; clock: Clock; mayBeExpired?: boolean },
): SessionClaims & Record<string, unknown> {
  const { id, sid, iat, exp, nbf } = payload;
  const nowSeconds = expected.clock.nowMs() / 1000;
  const isSound =
    header.alg === 'HS256' &&
    header.typ === expected.type &&
    header.crit === undefined &&
    payload.iss === ISSUER &&
    payload.aud === expected.audience &&
    isObjectId(id) &&
    isObjectId(sid) &&
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp) &&
    (iat as number) <= nowSeconds + CLOCK_SKEW_SECONDS &&
    (nbf === undefined || (Number.isSafeInteger(nbf) && (nbf as number) <= nowSeconds + CLOCK_SKEW_SECONDS));
  if (!isSound) throw new ApiError('token_invalid');
  if (!expected.mayBeExpired && (exp as number) <= nowSeconds) throw new ApiError('token_expired');
  return payload as SessionClaims & Record<string, unknown>;
}

function isObjectId(value: unknown): value is string {
  return typeof value === 'string' && OBJECT_ID.test(value);
}

export function signToken(jwt: JwtService, type: string, claims: object): string {
  return jwt.sign({ ...claims, iss: ISSUER }, { algorithm: 'HS256', header: { alg: 'HS256', typ: type } });
}

/** Verification options that leave the times to {@link assertSessionClaims}, which asks the injected clock. */
export const VERIFY_OPTIONS = {
  algorithms: ['HS256' as const],
  complete: true as const,
  ignoreExpiration: true,
  ignoreNotBefore: true,
};

/** @throws ApiError `token_invalid` when the signature is not ours */
export function verifyToken(jwt: JwtService, token: string): DecodedToken {
  try {
    return jwt.verify(token, VERIFY_OPTIONS) as unknown as DecodedToken;
  } catch (error) {
    throw new ApiError('token_invalid', { cause: error });
  }
}
