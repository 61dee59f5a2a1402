import { parsed } from './parsed.js';

/** A session as the client keeps it. */
export interface Session {
  token: string;
  refresh_token: string;
  /** When the access token expires by this machine's clock, in milliseconds since 1970. */
  expires_at: number;
  /** When it was logged in, by the same clock: it stays, however often the tokens are replaced. */
  since?: number;
}

/** Where a session is kept. Tabs that share one share the session. */
export interface SessionStore {
  read(): Session | null;
  write(session: Session | null): void;
}

/** Ends with the page or the process. */
export function memoryStore(): SessionStore {
  let kept: Session | null = null;
  return { read: () => kept, write: (session) => void (kept = session) };
}

interface WebStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * A session that its storage does not take, because it is full, lasts as long as the page.
 * @param storage `localStorage`: a session that outlives the page, and that every script of the page can read
 */
export function webStore(storage: WebStorage, key = 'account-session'): SessionStore {
  let untaken: Session | null = null;
  return {
    read: () => untaken ?? sessionIn(storage.getItem(key)),
    write: (session) => {
      untaken = null;
      try {
        if (session) return storage.setItem(key, JSON.stringify(session));
      } catch {
        untaken = session;
      }
      // Nor is an older one to stay there: whoever sends a token that has been replaced looks like a thief.
      storage.removeItem(key);
    },
  };
}

/** Other scripts of the page write there too: what is no session is none, and not the end of every request. */
function sessionIn(text: string | null): Session | null {
  const session: Partial<Session> = parsed(text);
  return typeof session.token === 'string' && typeof session.refresh_token === 'string' ? (session as Session) : null;
}
