import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import type { Page, PageQueryDto } from '../../common/pagination/index.js';
import { AccessTokens, CallerAuthority, type Principal, RefreshTokens, SecurityEvents } from '../../security/index.js';
import type { LoginHistory } from '../sessions/login-history.schema.js';
import { type RunTransaction, Sessions } from '../sessions/sessions.js';
import { type LoginHistoryDto, type LoginStatisticsDto, toLoginHistoryDto } from './login-history.dto.js';
import { LoginHistoryRepository } from './login-history.repository.js';

/** Shows the sessions of an account, and ends them: for its owner, and for administrators. */
@Injectable()
export class LoginHistoryService {
  constructor(
    private readonly history: LoginHistoryRepository,
    private readonly sessions: Sessions,
    private readonly refreshTokens: RefreshTokens,
    private readonly accessTokens: AccessTokens,
    private readonly authority: CallerAuthority,
    private readonly events: SecurityEvents,
  ) {}

  /** @param currentSessionId the caller's own session, which is in no other history */
  async page(userId: string, query: PageQueryDto, currentSessionId: string): Promise<Page<LoginHistoryDto>> {
    const { content, pagination } = await this.history.list(userId, query);
    const toDto = (entry: LoginHistory) => toLoginHistoryDto(entry, this.expiryOf(entry), currentSessionId);
    return { content: content.map(toDto), pagination };
  }

  async statistics(userId: string): Promise<LoginStatisticsDto> {
    return this.history.statistics(userId);
  }

  /** @throws ApiError `not_found` */
  async endOwn(principal: Principal, sessionId: string): Promise<void> {
    const { userId } = principal;
    await this.end(sessionId, userId, this.sessions.byOwner(principal));
    this.events.record({ kind: 'authn_token_revoked', outcome: 'success', userId, sessionId });
  }

  /** By an administrator. @throws ApiError `not_found` */
  async endOf(userId: string, sessionId: string): Promise<void> {
    await this.end(sessionId, userId, this.decision({ userId, sessionId }));
  }

  /** By an administrator. @returns how many */
  async endAllOf(userId: string): Promise<number> {
    return this.sessions.endAll(userId, 'session_revoked', { run: this.decision({ userId, detail: 'all sessions' }) });
  }

  /**
   * Of several who do so at the same moment, one ends it.
   * @throws ApiError `not_found` also for a session of somebody else, just like for one that never existed
   */
  private async end(sessionId: string, userId: string, run: RunTransaction): Promise<void> {
    await this.sessions.end(sessionId, 'session_revoked', (end, lock) =>
      run(async () => {
        if (!(await this.history.belongsTo(sessionId, userId))) throw new ApiError('not_found');
        return end();
      }, lock),
    );
  }

  /** Of an administrator: with its event, as their other decisions. */
  private decision(about: { userId: string; sessionId?: string; detail?: string }): RunTransaction {
    return (end, lock) => {
      const decision = async () => {
        await this.events.recordWith({ kind: 'authn_token_revoked', outcome: 'success', ...about });
        return end();
      };
      return this.authority.decide(decision, { lock });
    };
  }

  /**
   * When both tokens of a session have expired, but for an access token that was given out again within the grace. Entries that were
   * taken over from elsewhere have none, and no rotations.
   */
  private expiryOf({ login_at: loggedInAt, rotated_at: rotatedAt = loggedInAt }: LoginHistory): Date {
    const refreshExpiry = this.refreshTokens.expiryOf({ rotatedAt, loggedInAt });
    const accessExpiry = this.accessTokens.expiryOf(rotatedAt, loggedInAt);
    return new Date(Math.max(refreshExpiry.getTime(), accessExpiry.getTime()));
  }
}
