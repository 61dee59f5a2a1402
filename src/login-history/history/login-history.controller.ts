import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly, Protected } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Operation } from '../../common/openapi/index.js';
import { type Page, PageQueryDto } from '../../common/pagination/index.js';
import { IdParamDto } from '../../common/validation/index.js';
import {
  CallerAuthority,
  CurrentPrincipal,
  type Principal,
  RefreshTokens,
  SecurityEvents,
} from '../../security/index.js';
import type { LoginHistory } from '../sessions/login-history.schema.js';
import { type RunTransaction, Sessions } from '../sessions/sessions.js';
import {
  EndedSessionsDto,
  LoginHistoryDto,
  LoginStatisticsDto,
  toLoginHistoryDto,
  UserSessionParamDto,
} from './login-history.dto.js';
import { LoginHistoryRepository } from './login-history.repository.js';

@ApiTags('Login history')
@Controller('api')
export class LoginHistoryController {
  constructor(
    private readonly history: LoginHistoryRepository,
    private readonly sessions: Sessions,
    private readonly refreshTokens: RefreshTokens,
    private readonly authority: CallerAuthority,
    private readonly events: SecurityEvents,
  ) {}

  @Get('login-history')
  @Protected()
  @Operation({
    summary: 'List one’s own sessions',
    description:
      'Newest first. A session that was ended, by a logout for example, is no longer in it; one that ran out (`expires_at`) is, for 90 days after its login.',
    message: 'Login history',
    page: LoginHistoryDto,
  })
  async listLoginHistory(
    @CurrentPrincipal() { userId, sessionId }: Principal,
    @Query() query: PageQueryDto,
  ): Promise<Page<LoginHistoryDto>> {
    return this.page(userId, query, sessionId);
  }

  @Get('login-history/statistics')
  @Protected()
  @Operation({
    summary: 'Count one’s own logins',
    description: 'Of the entries that the login history has.',
    message: 'Login statistics',
    data: LoginStatisticsDto,
  })
  async getLoginStatistics(@CurrentPrincipal() { userId }: Principal): Promise<LoginStatisticsDto> {
    return this.history.statistics(userId);
  }

  @Delete('login-history/:id')
  @Protected({ errors: ['not_found'] })
  @Operation({
    summary: 'End one of one’s own sessions',
    description: 'At once, on every instance.',
    message: 'Session ended',
  })
  async endSession(@CurrentPrincipal() principal: Principal, @Param() { id }: IdParamDto): Promise<void> {
    const { userId } = principal;
    await this.end(id, userId, this.sessions.byOwner(principal));
    this.events.record({ kind: 'authn_token_revoked', outcome: 'success', userId, sessionId: id });
  }

  @Get('users/:id/login-history')
  @AdminOnly()
  @Operation({
    summary: 'List the sessions of an account',
    description: 'Newest first. An account that is not there has none.',
    message: 'Login history',
    page: LoginHistoryDto,
  })
  async listUserLoginHistory(
    @Param() { id }: IdParamDto,
    @Query() query: PageQueryDto,
  ): Promise<Page<LoginHistoryDto>> {
    return this.page(id, query, null);
  }

  @Delete('users/:id/login-history')
  @AdminOnly()
  @Operation({
    summary: 'End all sessions of an account',
    description:
      'At once, on every instance: its owner has to log in again everywhere, and may. Its login history is empty then. An account that is not there has none.',
    message: 'Sessions ended',
    data: EndedSessionsDto,
  })
  async endUserSessions(@Param() { id }: IdParamDto): Promise<EndedSessionsDto> {
    const decision = this.decision({ userId: id, detail: 'all sessions' });
    return { ended: await this.sessions.endAll(id, 'session_revoked', decision) };
  }

  @Delete('users/:id/login-history/:session')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'End a session of an account',
    description: 'At once, on every instance.',
    message: 'Session ended',
  })
  async endUserSession(@Param() { id, session }: UserSessionParamDto): Promise<void> {
    await this.end(session, id, this.decision({ userId: id, sessionId: session }));
  }

  /**
   * Of several who do so at the same moment, one ends it.
   * @throws ApiError `not_found` also for a session of somebody else, just like for one that never existed
   */
  private async end(sessionId: string, userId: string, run: RunTransaction): Promise<void> {
    await this.sessions.end(sessionId, 'session_revoked', (end) =>
      run(async () => {
        if (!(await this.history.belongsTo(sessionId, userId))) throw new ApiError('not_found');
        return end();
      }),
    );
  }

  /** Of an administrator: with its event, as their other decisions. */
  private decision(about: { userId: string; sessionId?: string; detail?: string }): RunTransaction {
    return (end) =>
      this.authority.decide(async () => {
        await this.events.recordWith({ kind: 'authn_token_revoked', outcome: 'success', ...about });
        return end();
      });
  }

  private async page(
    userId: string,
    query: PageQueryDto,
    currentSessionId: string | null,
  ): Promise<Page<LoginHistoryDto>> {
    const { content, pagination } = await this.history.list(userId, query);
    const toDto = (entry: LoginHistory): LoginHistoryDto => {
      // Entries that were taken over from elsewhere have no sessions, and so no rotations.
      const { login_at: loggedInAt, rotated_at: rotatedAt = loggedInAt } = entry;
      const expiresAt = this.refreshTokens.expiryOf({ rotatedAt, loggedInAt });
      return toLoginHistoryDto(entry, expiresAt, currentSessionId);
    };
    return { content: content.map(toDto), pagination };
  }
}
