const SESSION_ENDS = [
  'logged_out',
  'password_changed',
  'reported_not_me',
  'refresh_token_reused',
  'account_disabled',
  'session_revoked',
] as const;

/** Why a session ended; also the error code that its tokens meet from then on. */
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** A session as the cache holds it: whose it is while it lives, or why it ended. */
export type SessionState = { user: string } | { ended: SessionEnd };

/**
 * How long a living session is believed without a look at storage. Revocation does not wait for it, since it
 * overwrites the entry; it bounds what an invalidation lost in a crash could cost.
 */
export const LIVE_SESSION_TTL_MS = 60_000;

export function sessionKey(sessionId: string): string {
  return `session:${sessionId}`;
}

/** A state out of the cache; anything else is a miss, e.g. a reason that only a newer release knows. */
export function readSessionState(value: unknown): SessionState | null {
  if (typeof value !== 'object' || value === null) return null;
  const { user, ended } = value as { user?: unknown; ended?: unknown };
  if (ended !== undefined) return SESSION_ENDS.includes(ended as SessionEnd) ? { ended: ended as SessionEnd } : null;
  return typeof user === 'string' ? { user } : null;
}
