const SESSION_ENDS = [
  'logged_out',
  'password_changed',
  'reported_not_me',
  'refresh_token_reused',
  'account_disabled',
  'session_revoked',
] as const;

/** Why a session ended; also the error code with which its tokens are refused from then on. */
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** A session as the cache holds it: its user while it is valid, else why it ended. */
export type SessionState = { user: string } | { ended: SessionEnd };

/**
 * How long a valid session is cached. Revocation does not wait for this, since it overwrites the entry; it bounds the harm if an
 * invalidation is lost in a crash.
 */
export const LIVE_SESSION_TTL_MS = 60_000;

export function sessionKey(sessionId: string): string {
  return `session:${sessionId}`;
}

/** @returns the reason for which a session ended; `session_revoked` in place of one that only a newer release knows */
export function knownSessionEnd(reason: string): SessionEnd {
  return SESSION_ENDS.find((known) => known === reason) ?? 'session_revoked';
}

/** Reads a state from the cache; anything else, such as a reason that only a newer release knows, is a miss. */
export function readSessionState(value: unknown): SessionState | null {
  if (typeof value !== 'object' || value === null) return null;
  const { user, ended } = value as { user?: unknown; ended?: unknown };
  if (ended !== undefined) return SESSION_ENDS.includes(ended as SessionEnd) ? { ended: ended as SessionEnd } : null;
  return typeof user === 'string' ? { user } : null;
}
