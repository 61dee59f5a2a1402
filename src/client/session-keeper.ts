import { AccountError } from './account-error.js';
import { askAgain } from './ask-again.js';
import type { Session, SessionStore } from './session-store.js';

export interface Tokens {
  token: string;
  refresh_token: string;
  /** Lifetime of the access token in seconds. */
  expires_in: number;
}

/** Refreshed so long before it expires: a request is not to overtake the expiry of its own token. */
const MARGIN_MS = 10_000;

/** Refusals of a token, after which only a new login helps. */
const SESSION_OVER =
  /^(token_invalid|session_revoked|logged_out|refresh_token_reused|password_changed|reported_not_me|account_disabled)$/;

type Locks = { request<T>(name: string, work: () => Promise<T>): Promise<T> };

export interface SessionKeeper {
  begin(tokens: Tokens): Session;
  /**
   * A later session, which began meanwhile, is left alone.
   * @param by what tells a later one: tokens, of which a refusal tells; or `since`, where the session itself was ended, though
   *   another request or tab has replaced its tokens meanwhile
   */
  end(session: Session, code: string, by?: 'refresh_token' | 'since'): void;
  /** @throws AccountError `authentication_required` without a session */
  current(): Promise<Session>;
  /** Does something with the session, and does it once more where its access token turns out to have expired. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

/** Keeps the tokens, and replaces them: once for any number of requests and tabs that find them expired. */
export function keepSession(
  store: SessionStore,
  exchange: (refreshToken: string, signal: AbortSignal) => Promise<Tokens>,
  onEnd?: (code: string) => void,
): SessionKeeper {
  let refreshing: Promise<Session> | undefined;
  /** Whether there was a session when it was last needed: its end is yet to be told. */
  let isOpen = !!store.read();

  function begin({ token, refresh_token, expires_in }: Tokens, since = Date.now()): Session {
    const session = { token, refresh_token, expires_at: Date.now() + expires_in * 1000, since };
    store.write(session);
    isOpen = true;
    return session;
  }

  function end(session: Session, code: string, by: 'refresh_token' | 'since' = 'refresh_token'): void {
    const stored = store.read();
    if (stored && stored[by] !== session[by]) return;
    store.write(null);
    over(code);
  }

  /** Tells it once; by its absence, where another tab has ended it. @returns what a request is refused with */
  function over(code = 'authentication_required'): AccountError {
    if (isOpen) {
      isOpen = false;
      onEnd?.(code);
    }
    return new AccountError(0, { code });
  }

  async function current(): Promise<Session> {
    const session = store.read();
    if (!session) throw over();
    isOpen = true;
    return session.expires_at - MARGIN_MS > Date.now() ? session : refresh(session);
  }

  async function use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    let session = await current();
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await work(session);
      } catch (error) {
        const { code = '' } = error as Partial<AccountError>;
        if (SESSION_OVER.test(code)) end(session, code);
        if (code !== 'token_expired' || isRepeated) throw error;
        session = await refresh(session);
      }
    }
  }

  function refresh(stale: Session): Promise<Session> {
    const locks = (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
    const work = () => askAgain((signal) => replace(stale, signal));
    // A page that may store nothing is denied locks as well; nor can it share a session with other tabs.
    const unlessDenied = (error: Error) => {
      if (error.name !== 'SecurityError') throw error;
      return work();
    };
    refreshing ??= (locks?.request('account-session', work).catch(unlessDenied) ?? work()).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  /**
   * Asked again, it must be so within the ten seconds in which the service repeats its answer (REFRESH_GRACE): the refresh may
   * have been done, and who sends its token after that looks like a thief.
   */
  async function replace(stale: Session, signal: AbortSignal): Promise<Session> {
    const { refresh_token } = stale;
    const session = store.read();
    if (!session) throw over();
    // Another tab was quicker. To send the older token again would look like theft, and end the session.
    if (session.refresh_token !== refresh_token) return session;
    try {
      const tokens = await exchange(refresh_token, signal);
      // Logged out meanwhile, the new tokens belong to nobody; unless another tab has got and stored the same.
      const stored = store.read()?.refresh_token;
      if (stored === refresh_token || stored === tokens.refresh_token) return begin(tokens, session.since);
    } catch (error) {
      const { status, code = '' } = error as Partial<AccountError>;
      if (status === 401) end(session, code);
      throw error;
    }
    return replace(stale, signal);
  }

  return { begin, end, current, use };
}
