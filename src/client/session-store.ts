import { parsed } from './parsed.js';

/** A session as the client keeps it. */
export interface Session {
  token: string;
  refresh_token: string;
  /** When the access token expires by this machine's clock, in milliseconds since 1970. */
  expires_at: number;
  /** When the session began, by the same clock; unchanged when its tokens are replaced. */
  since?: number;
}

/** Where a session is kept. Tabs with a common store share the session. */
export interface SessionStore {
  read(): Session | null;
  /** Must not throw: what cannot be stored is to be kept in memory, since the tokens before it are used up. */
  write(session: Session | null): void;
  /** Name of the lock (Web Locks) under which those who share this store refresh one at a time; without one, nobody shares it. */
  lock?: string;
}

/** Keeps the session in memory: it ends with the page or the process. */
export function memoryStore(): SessionStore {
  let kept: Session | null = null;
  return {
    read: () => kept,
    write(session) {
      kept = session;
    },
  };
}

interface WebStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * Keeps the session in the browser's storage; if that is full, in memory, for as long as the page lives.
 * @param storage `localStorage`: the session outlives the page, and every script of the page can read it
 */
export function webStore(storage: WebStorage, key = 'account-session'): SessionStore {
  let unsaved: Session | null = null;
  return {
    lock: key,
    read: () => unsaved ?? sessionIn(storage.getItem(key)),
    write(session) {
      unsaved = null;
      try {
        if (session) return storage.setItem(key, JSON.stringify(session));
      } catch {
        unsaved = session;
      }
      // An older session must not stay there: its refresh token was replaced, and would look stolen.
      storage.removeItem(key);
    },
  };
}

/** Other scripts of the page write there too: anything that is not a session counts as none, and makes no request fail. */
function sessionIn(text: string | null): Session | null {
  const session: Partial<Session> = parsed(text);
  return session.token && session.refresh_token ? (session as Session) : null;
}
