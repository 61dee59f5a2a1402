import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly, Protected } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { type Page, PageQueryDto } from '../../common/pagination/index.js';
import { IdParamDto } from '../../common/validation/index.js';
import { CurrentPrincipal, type Principal } from '../../security/index.js';
import { EndedSessionsDto, LoginHistoryDto, LoginStatisticsDto, UserSessionParamDto } from './login-history.dto.js';
import { LoginHistoryService } from './login-history.service.js';

@ApiTags('Login history')
@Controller('api')
export class LoginHistoryController {
  constructor(private readonly logins: LoginHistoryService) {}

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
    return this.logins.page(userId, query, sessionId);
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
    return this.logins.statistics(userId);
  }

  @Delete('login-history/:id')
  @Protected({ errors: ['not_found'] })
  @Operation({
    summary: 'End one of one’s own sessions',
    description: 'At once, on every instance.',
    message: 'Session ended',
  })
  async endSession(@CurrentPrincipal() principal: Principal, @Param() { id }: IdParamDto): Promise<void> {
    await this.logins.endOwn(principal, id);
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
    @CurrentPrincipal() { sessionId }: Principal,
  ): Promise<Page<LoginHistoryDto>> {
    return this.logins.page(id, query, sessionId);
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
    return { ended: await this.logins.endAllOf(id) };
  }

  @Delete('users/:id/login-history/:session')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'End a session of an account',
    description: 'At once, on every instance.',
    message: 'Session ended',
  })
  async endUserSession(@Param() { id, session }: UserSessionParamDto): Promise<void> {
    await this.logins.endOf(id, session);
  }
}
