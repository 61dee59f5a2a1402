/** Time to live of the cached record, by the specification. */
export const AUTH_RECORD_TTL_MS = 3_600_000;
export function authRecordKey(userId) {
    return `user:auth:${userId}`;
}
/**
 * A record out of the cache. Another user's data under this user's key, or anything of another shape, is a miss: the
 * identity comes from the token alone.
 */
export function readAuthRecord(value, userId) {
    const record = value;
    const isSound = typeof record === 'object' && record?.user?._id === userId && typeof record.auth?._id === 'string';
    return isSound ? record : null;
}
//# sourceMappingURL=auth-record.js.map