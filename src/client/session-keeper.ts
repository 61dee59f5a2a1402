import { AccountError } from './account-error.js';
import { askAgain } from './ask-again.js';
import type { Session, SessionStore } from './session-store.js';

export interface Tokens {
  token: string;
  refresh_token: string;
  /** Lifetime of the access token in seconds. */
  expires_in: number;
}

/** An access token is refreshed this long before it expires, so that it does not expire on its way to the service. */
const MARGIN_MS = 10_000;

/** Error codes after which only a new login helps. A module of one's own may have an `invitation_token_invalid`. */
const SESSION_OVER =
  /\b(token_invalid|session_revoked|logged_out|password_changed|reported_not_me|account_disabled)|token_reused/;

type Locks = { request<T>(name: string, work: () => Promise<T>): Promise<T> };

export interface SessionKeeper {
  begin(tokens: Tokens): Session;
  /** The session, if there is one, and no other than the one that was here before. */
  here(): Session | null | false;
  /** Whether the end of the last session has been reported; there may be another one by now. */
  isOver(): boolean;
  /**
   * Ends a session, and leaves another one that has begun meanwhile.
   * @param by what must not have changed meanwhile: the refresh token, if the tokens were refused; only `since`, which names the
   *   session, if that itself was ended
   */
  end(session: Session, code: string, by?: 'refresh_token' | 'since'): void;
  /**
   * Does something with the session, and repeats it once, with a new access token, if the old one has expired; never with the session
   * of somebody who has logged in meanwhile.
   * @throws AccountError `authentication_required` without a session, and once if another tab has begun another one
   */
  use<T>(work: (session: Session) => T | Promise<T>): Promise<T>;
}

/** Keeps the tokens, and refreshes them once for any number of requests and tabs that find them expired. */
export function keepSession(
  store: SessionStore,
  exchange: (refreshToken: string, signal: AbortSignal) => Promise<Tokens>,
  onEnd?: (code: string) => void,
): SessionKeeper {
  let refreshing: Promise<Session> | null | undefined;
  /** The session that was here when one was last needed, and whose end has yet to be reported. */
  let known = store.read();

  function begin(tokens: Tokens, since = Date.now()): Session {
    // A proxy in between may answer with JSON, and with 200, too.
    if (!(tokens?.expires_in >= 0)) throw new AccountError(200, {});
    // Another session waits for no refresh of the one before.
    refreshing = null;
    known = {
      token: tokens.token,
      refresh_token: tokens.refresh_token,
      expires_at: Date.now() + tokens.expires_in * 1000,
      since,
    };
    store.write(known);
    return known;
  }

  function here(expected = known): Session | null | false {
    const session = store.read();
    return session && (expected ?? session).since === session.since && session;
  }

  /** @throws AccountError if it is over, or if another one is there */
  function kept(expected: Session | null): Session {
    const session = here(expected);
    if (!session) throw over(expected);
    return session;
  }

  function end(session: Session, code: string, by: 'refresh_token' | 'since' = 'refresh_token'): void {
    const stored = here(session);
    if (stored) {
      if (stored[by] !== session[by]) return;
      store.write(null);
    }
    over(session, code);
  }

  /** Reports the end of a session once. @returns the error with which requests are refused */
  function over(session: Session | null, code = 'authentication_required'): AccountError {
    if (known && known.since === session?.since) {
      known = null;
      onEnd?.(code);
    }
    return new AccountError(0, { code });
  }

  async function use<T>(work: (session: Session) => T | Promise<T>): Promise<T> {
    known = kept(known);
    let session = await (known.expires_at - MARGIN_MS > Date.now() ? known : refresh(known));
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await work(session);
      } catch (error) {
        const { code } = error as AccountError;
        if (SESSION_OVER.test(code)) end(session, code);
        if (code !== 'token_expired' || isRepeated) throw error;
        session = await refresh(session);
      }
    }
  }

  function refresh(stale: Session): Promise<Session> {
    // Of a store that nobody shares, nobody else is to wait: the locks of Node are those of the whole process.
    const locks = (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
    const work = () => askAgain((signal) => replace(stale, signal));
    // A page that may not use storage may not use locks either; nor can it share a session with other tabs.
    const unlessDenied = (error: Error) => (error.name === 'SecurityError' ? work() : Promise.reject(error));
    return (refreshing ??= ((store.lock && locks?.request(store.lock, work).catch(unlessDenied)) || work()).finally(
      () => (refreshing = null),
    ));
  }

  /**
   * Refreshes the tokens. A repetition must come within the ten seconds in which the service repeats its answer (REFRESH_GRACE): the
   * first try may have succeeded, and after that time its token would look stolen.
   */
  async function replace(stale: Session, signal: AbortSignal): Promise<Session> {
    const { refresh_token } = stale;
    const session = kept(stale);
    // Another tab has refreshed them already. Sending the old token again would look like theft, and end the session.
    if (session.refresh_token !== refresh_token) return session;
    try {
      const tokens = await exchange(refresh_token, signal);
      // If the session was ended meanwhile, the new tokens are dropped; if another tab has stored the same ones, they are stored again.
      const stored = store.read()?.refresh_token;
      if (stored === refresh_token || stored === tokens.refresh_token) return begin(tokens, session.since);
    } catch (error) {
      const { code } = error as AccountError;
      // Only by the service's word: a proxy in between refuses with 401, too.
      if (SESSION_OVER.test(code) || code === 'token_expired') end(session, code);
      throw error;
    }
    return replace(stale, signal);
  }

  return { begin, here, isOver: () => !known, end, use };
}
