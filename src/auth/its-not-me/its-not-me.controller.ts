import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentPrincipal, type Principal, RefreshTokens } from '../../security/index.js';
import { RefreshTokenDto } from '../token-refresh/token-refresh.dto.js';
import { Lockdown } from './lockdown.js';

@ApiTags('Recovery')
@Controller('auth')
export class ItsNotMeController {
  constructor(
    private readonly refreshTokens: RefreshTokens,
    private readonly lockdown: Lockdown,
  ) {}

  @Post('its-not-me')
  @Authenticated({ limit: 'auth' })
  @Operation({
    summary: 'Report a login that was not yours',
    description:
      'Ends every session on every instance before it answers, refuses the old password from then on (`password_reset_required`) and mails a reset link.',
    message: 'All sessions have been terminated. Please check your email to reset your password.',
  })
  async itsNotMe(@CurrentPrincipal() principal: Principal, @Body() { refresh_token }: RefreshTokenDto): Promise<void> {
    this.refreshTokens.verifyOwnership(refresh_token, principal);
    await this.lockdown.lockDown(principal);
  }
}
