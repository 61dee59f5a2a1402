import type { Role } from '../../common/access/index.js';

/** The cached authentication record, in exactly the shape of the specification. */
export interface AuthRecord {
  user: { _id: string; last_name: string; first_name: string; username: string; email: string };
  auth: { _id: string; role: Role | null; confirmed_at: string | null };
}

/** Time to live of the cached record, by the specification. */
export const AUTH_RECORD_TTL_MS = 3_600_000;

export function authRecordKey(userId: string): string {
  return `user:auth:${userId}`;
}

/**
 * Reads a record from the cache. Another user's data under this user's key, or anything of another shape, is a miss: identity
 * comes from the token alone.
 */
export function readAuthRecord(value: unknown, userId: string): AuthRecord | null {
  const { user, auth } = (value ?? {}) as { [Part in keyof AuthRecord]?: Partial<AuthRecord[Part]> };
  const isSound =
    user?._id === userId &&
    isText(user.last_name) &&
    isText(user.first_name) &&
    isText(user.username) &&
    isText(user.email) &&
    isText(auth?._id) &&
    (auth.role === null || isText(auth.role)) &&
    (auth.confirmed_at === null || isText(auth.confirmed_at));
  return isSound ? (value as AuthRecord) : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
