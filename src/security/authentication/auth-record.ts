import type { Role } from '../../common/access/index.js';
import { hasShape, isText, isTextOrNull, type ShapeOf } from './cached-shape.js';

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

const USER: ShapeOf<AuthRecord['user']> = {
  _id: isText,
  last_name: isText,
  first_name: isText,
  username: isText,
  email: isText,
};
const AUTH: ShapeOf<AuthRecord['auth']> = { _id: isText, role: isTextOrNull, confirmed_at: isTextOrNull };

/**
 * Reads a record from the cache. Another user's data under this user's key, or anything of another shape, is a miss: identity
 * comes from the token alone.
 */
export function readAuthRecord(value: unknown, userId: string): AuthRecord | null {
  const { user, auth } = (value ?? {}) as { user?: unknown; auth?: unknown };
  const isSound = hasShape(user, USER) && user._id === userId && hasShape(auth, AUTH);
  return isSound ? (value as AuthRecord) : null;
}
