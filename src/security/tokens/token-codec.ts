import { type Clock, CLOCK_SKEW_MS } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';

export const ISSUER = 'account-service';
const OBJECT_ID = /^[0-9a-f]{24}$/;

/** The result of `jsonwebtoken` with `complete: true`. */
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
 * Checks what a valid signature does not prove: type (RFC 8725 section 3.11), issuer, audience, times, and the form of the ids, from
 * which cache keys are built. `jsonwebtoken` would accept a token without `exp`.
 * @throws ApiError `token_expired`, or `token_invalid` for anything else.
 */
export function assertSessionClaims(
  { header, payload }: DecodedToken,
  expected: { type: string; audience: string; clock: Clock; mayBeExpired?: boolean },
): SessionClaims & Record<string, unknown> {
  const { id, sid, iat, exp, nbf } = payload;
  const nowSeconds = expected.clock.nowMs() / 1000;
  const latestSeconds = nowSeconds + CLOCK_SKEW_MS / 1000;
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
    (iat as number) <= latestSeconds &&
    (nbf === undefined || (Number.isSafeInteger(nbf) && (nbf as number) <= latestSeconds));
  if (!isSound) throw new ApiError('token_invalid');
  if (!expected.mayBeExpired && (exp as number) <= nowSeconds) throw new ApiError('token_expired');
  return payload as SessionClaims & Record<string, unknown>;
}

function isObjectId(value: unknown): value is string {
  return typeof value === 'string' && OBJECT_ID.test(value);
}
