import type { SessionEnd } from './session-state.js';

export type StoredSession = { userId: string; credentialVersion: number } | { ended: SessionEnd };

/** Port: how the guards learn about sessions. `login-history` provides it; this module knows no feature. */
export abstract class SessionReader {
  /** Reads storage, never a cache. An unknown session counts as `session_revoked`. */
  abstract readSession(sessionId: string): Promise<StoredSession>;

  /** The same in a transaction that must not commit if the session is ended meanwhile. */
  abstract lockSession(sessionId: string): Promise<StoredSession>;
}
