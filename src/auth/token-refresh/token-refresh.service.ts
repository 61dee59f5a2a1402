import { Injectable } from '@nestjs/common';
import { Clock, CLOCK_SKEW_MS } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { currentRequest } from '../../common/http/index.js';
import { recentlyUsed } from '../../common/recently-used/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { type SessionGeneration, Sessions, SessionsRepository } from '../../login-history/index.js';
import { Authenticator, isOutdated, type RefreshClaims, RefreshTokens, SecurityEvents } from '../../security/index.js';
import { AccountsRepository, isActive } from '../../users/index.js';
import { TokenPairs } from '../login/token-pairs.js';
import type { TokensDto } from '../login/tokens.dto.js';

/**
 * For so long after a refusal a token is judged by when it was presented first: clients try again for as long as an outage takes, and
 * would be taken for thieves after it.
 */
const UNANSWERED_GRACE_MS = 300_000;
const MOST_UNANSWERED = 10_000;

/**
 * Refresh-token rotation with one counter per session (RFC 9700 section 4.14.2). Each token contains its generation. The current one
 * rotates the session. The one before it gets the same successor again for a few seconds, so that parallel tabs and lost answers
 * log nobody out. Any older one must have been stolen, and ends the session.
 */
@Injectable()
export class TokenRefreshService {
  /** When tokens were presented first that were refused because the database failed, or was too slow. */
  private readonly unanswered = recentlyUsed<{ firstMs: number }>(MOST_UNANSWERED, { ttl: UNANSWERED_GRACE_MS });

  constructor(
    private readonly refreshTokens: RefreshTokens,
    private readonly tokenPairs: TokenPairs,
    private readonly repository: SessionsRepository,
    private readonly sessions: Sessions,
    private readonly accounts: AccountsRepository,
    private readonly authenticator: Authenticator,
    private readonly events: SecurityEvents,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 401 with the reason why the session or the token is no longer valid */
  async refresh(refreshToken: string): Promise<TokensDto> {
    const claims = this.refreshTokens.verify(refreshToken);
    const key = generationKey(claims);
    // Before anything is waited for: a token that comes in time must not be late because the database is slow, or was.
    const presentation = this.unanswered.get(key) ?? { firstMs: this.clock.nowMs() };
    const remember = () => void this.unanswered.set(key, presentation);
    const answer = await this.answer(claims, presentation.firstMs).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status === 503) remember();
      throw error;
    });
    if (currentRequest()?.isRefused) remember();
    // The others who were refused with it, such as other tabs, have the usual grace from now on.
    else if (this.unanswered.has(key))
      this.unanswered.set(key, presentation, { ttl: this.config.tokens.refreshGraceMs });
    return answer;
  }

  private async answer(claims: RefreshClaims, presentedMs: number): Promise<TokensDto> {
    // From the cache, as for any request: it reflects the end of a session at once, and the new tokens are checked when used.
    const isLive = await this.isLive(claims);
    const rotated = isLive && (await this.rotate(claims));
    return rotated || this.refreshFromStorage(claims, presentedMs);
  }

  private async isLive(claims: RefreshClaims): Promise<boolean> {
    try {
      await this.authenticator.authenticate(claims);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  /** Normally the session is rotated without being read first. If that fails, this reads it to find out why. */
  private async refreshFromStorage(claims: RefreshClaims, presentedMs: number): Promise<TokensDto> {
    const session = await this.findSession(claims);
    if (claims.gen !== session.generation) return this.answerReplaced(claims, presentedMs, session);
    const rotated = await this.rotate(claims);
    // Another request rotated the session meanwhile, so this token is the one before the current one now.
    return rotated ?? this.answerReplaced(claims, presentedMs, await this.findSession(claims));
  }

  private async findSession({ sid, id }: RefreshClaims): Promise<SessionGeneration> {
    // In this order: a change of the password that keeps the session and comes between must not end it.
    const account = await this.accounts.findById(id);
    const session = await this.repository.findGeneration(sid);
    if (!session) {
      const end = await this.repository.endOf(sid);
      // A command may have ended it, of which this process does not hear without Redis.
      await this.authenticator.forgetSessions([sid], end);
      throw new ApiError(end);
    }
    if (session.userId !== id) throw new ApiError('token_invalid');
    if (!account || !isActive(account)) throw new ApiError('account_disabled');
    if (isOutdated(session, account)) throw new ApiError('password_changed');
    return session;
  }

  /** @returns null if the session has ended, or was rotated meanwhile */
  private async rotate(claims: RefreshClaims): Promise<TokensDto | null> {
    const { id, sid, gen, auth_time } = claims;
    const rotatedAt = this.clock.now();
    const loggedInAt = new Date(auth_time * 1000);
    const tokens = this.tokenPairs.issue({ userId: id, sessionId: sid, generation: gen + 1, rotatedAt, loggedInAt });
    const rotation = this.repository.rotateIfCurrent({ sessionId: sid, userId: id, generation: gen }, rotatedAt, {
      accessToken: tokens.token,
      refreshToken: tokens.refresh_token,
    });
    if (!(await rotation)) return null;
    // From here on the usual grace holds.
    this.unanswered.delete(generationKey(claims));
    return tokens;
  }

  private async answerReplaced(
    claims: RefreshClaims,
    presentedMs: number,
    session: SessionGeneration,
  ): Promise<TokensDto> {
    const { id, sid, gen } = claims;
    const { generation, rotatedAt, loggedInAt } = session;
    if (gen > generation) throw new ApiError('token_invalid');
    const { refreshGraceMs: graceMs } = this.config.tokens;
    const agoMs = presentedMs - rotatedAt.getTime();
    // A replacement of the future: the clock was set back, and nobody knows how long ago it was; or the token was refused in an outage,
    // and replaced long after. Without a grace, the second of two simultaneous refreshes has come too late as well.
    const isPast = agoMs >= -CLOCK_SKEW_MS || this.unanswered.has(generationKey(claims));
    const isRecent = graceMs > 0 && agoMs <= graceMs && isPast;
    const isJustReplaced = generation === gen + 1 && isRecent;
    if (isJustReplaced) return this.tokenPairs.issue({ userId: id, sessionId: sid, generation, rotatedAt, loggedInAt });

    // A try that its caller has given up and repeated since, found in a socket by a process that was suspended. Whoever hangs up gets
    // no tokens, now or later (a 503 would be remembered), so a thief who does has gained nothing.
    const isGivenUp = generation === gen + 1 && currentRequest()?.isOver === true;
    const detail = isGivenUp ? 'given up' : undefined;
    this.events.record({ kind: 'authn_token_reuse', outcome: 'failure', userId: id, sessionId: sid, detail });
    if (isGivenUp) throw new ApiError('refresh_token_reused');
    throw new ApiError(await this.sessions.end(sid, 'refresh_token_reused'));
  }
}

function generationKey({ sid, gen }: RefreshClaims): string {
  return `${sid}:${gen}`;
}
