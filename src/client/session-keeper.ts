import { AccountError } from './account-error.js';
import type { Session, SessionStore } from './session-store.js';

export interface Tokens {
  token: string;
  refresh_token: string;
  /** Lifetime of the access token in seconds. */
  expires_in: number;
}

/** Refreshed so long before it expires: a request is not to overtake the expiry of its own token. */
const MARGIN_MS = 10_000;

/**
 * An answer that was lost, is late, or says that the service failed, is asked for again: the refresh may have been done, and who
 * sends its token after the ten seconds (REFRESH_GRACE) in which the service repeats the answer looks like a thief. So each try
 * begins within those, the last after nine of them at most; it alone waits for a slow line.
 */
const REFRESH_WAITS_MS = [4_000, 4_000, 30_000];
const PAUSE_MS = 500;

/** Refusals of a token, after which only a new login helps. */
const SESSION_OVER =
  /^(token_invalid|session_revoked|logged_out|refresh_token_reused|password_changed|reported_not_me|account_disabled)$/;

type Locks = { request<T>(name: string, work: () => Promise<T>): Promise<T> };

/** Keeps the tokens, and replaces them: once for any number of requests and tabs that find them expired. */
export class SessionKeeper {
  private refreshing: Promise<Session> | undefined;
  /** Whether there was a session when it was last needed: its end is yet to be told. */
  private isOpen: boolean;

  constructor(
    private readonly store: SessionStore,
    private readonly exchange: (refreshToken: string, waitMs: number) => Promise<Tokens>,
    private readonly onEnd?: (code: string) => void,
  ) {
    this.isOpen = !!store.read();
  }

  begin({ token, refresh_token, expires_in }: Tokens): Session {
    const session = { token, refresh_token, expires_at: Date.now() + expires_in * 1000 };
    this.store.write(session);
    this.isOpen = true;
    return session;
  }

  /** A later session, which began meanwhile, is left alone. */
  end({ refresh_token }: Session, code: string): void {
    const stored = this.store.read();
    if (stored && stored.refresh_token !== refresh_token) return;
    this.store.write(null);
    this.over(code);
  }

  /** Tells it once; by its absence, where another tab has ended it. @returns what a request is refused with */
  private over(code = 'authentication_required'): AccountError {
    const isNews = this.isOpen;
    this.isOpen = false;
    if (isNews) this.onEnd?.(code);
    return new AccountError(0, { code });
  }

  /** @throws AccountError `authentication_required` without a session */
  async current(): Promise<Session> {
    const session = this.store.read();
    if (!session) throw this.over();
    this.isOpen = true;
    return session.expires_at - MARGIN_MS > Date.now() ? session : this.refresh(session);
  }

  /** Does something with the session, and does it once more where its access token turns out to have expired. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    let session = await this.current();
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await work(session);
      } catch (error) {
        const { code = '' } = error as Partial<AccountError>;
        if (SESSION_OVER.test(code)) this.end(session, code);
        if (code !== 'token_expired' || isRepeated) throw error;
        session = await this.refresh(session);
      }
    }
  }

  private refresh(stale: Session): Promise<Session> {
    const locks = (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
    const work = () => this.replace(stale);
    // A page that may store nothing is denied locks as well; nor can it share a session with other tabs.
    const unlessDenied = (error: Error) => {
      if (error.name !== 'SecurityError') throw error;
      return work();
    };
    this.refreshing ??= (locks?.request('account-session', work).catch(unlessDenied) ?? work()).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  private async replace({ refresh_token }: Session): Promise<Session> {
    for (let tries = 1; ; tries += 1) {
      const session = this.store.read();
      if (!session) throw this.over();
      // Another tab was quicker. To send the older token again would look like theft, and end the session.
      if (session.refresh_token !== refresh_token) return session;
      try {
        const tokens = await this.exchange(refresh_token, REFRESH_WAITS_MS[tries - 1] as number);
        // Logged out meanwhile, the new tokens belong to nobody; unless another tab has got and stored the same.
        const stored = this.store.read()?.refresh_token;
        if (stored !== refresh_token && stored !== tokens.refresh_token) continue;
        return this.begin(tokens);
      } catch (error) {
        // What has no status is no answer.
        const { status = 503, code = '' } = error as Partial<AccountError>;
        if (status === 401) this.end(session, code);
        if (status < 500 || tries === REFRESH_WAITS_MS.length) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }
}
