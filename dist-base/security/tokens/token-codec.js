import { createSecretKey } from 'node:crypto';
import { ApiError } from '../../common/errors/index.js';
export const ISSUER = 'account-service';
/** How far ahead the clock of another instance may be. */
const CLOCK_SKEW_SECONDS = 60;
const OBJECT_ID = /^[0-9a-f]{24}$/;
/**
 * A key made once. Handed a string, `jsonwebtoken` tries to parse it as a public key at every verification, which
 * costs eight times the rest of the request.
 */
export function signingKey(secret) {
    return createSecretKey(Buffer.from(secret));
}
/**
 * Checks what a valid signature does not: explicit type (RFC 8725 section 3.11), issuer, audience, times, and that the
 * ids are ids, because cache keys are built from them. `jsonwebtoken` would accept a token without `exp`.
 * @throws ApiError `token_expired`, or `token_invalid` for anything else.
 */
export function assertSessionClaims({ header, payload }, expected) {
    const { id, sid, iat, exp, nbf } = payload;
    const nowSeconds = expected.clock.nowMs() / 1000;
    const isSound = header.alg === 'HS256' &&
        header.typ === expected.type &&
        header.crit === undefined &&
        payload.iss === ISSUER &&
        payload.aud === expected.audience &&
        isObjectId(id) &&
        isObjectId(sid) &&
        Number.isSafeInteger(iat) &&
        Number.isSafeInteger(exp) &&
        iat <= nowSeconds + CLOCK_SKEW_SECONDS &&
        (nbf === undefined || (Number.isSafeInteger(nbf) && nbf <= nowSeconds + CLOCK_SKEW_SECONDS));
    if (!isSound)
        throw new ApiError('token_invalid');
    if (!expected.mayBeExpired && exp <= nowSeconds)
        throw new ApiError('token_expired');
    return payload;
}
function isObjectId(value) {
    return typeof value === 'string' && OBJECT_ID.test(value);
}
export function signToken(jwt, type, claims) {
    return jwt.sign({ ...claims, iss: ISSUER }, { algorithm: 'HS256', header: { alg: 'HS256', typ: type } });
}
/** Verification options that leave the times to {@link assertSessionClaims}, which asks the injected clock. */
export const VERIFY_OPTIONS = {
    algorithms: ['HS256'],
    complete: true,
    ignoreExpiration: true,
    ignoreNotBefore: true,
};
//# sourceMappingURL=token-codec.js.map