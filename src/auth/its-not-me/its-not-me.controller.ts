import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentPrincipal, type Principal } from '../../security/index.js';
import { RefreshTokenDto } from '../token-refresh/token-refresh.dto.js';
import { ItsNotMeService } from './its-not-me.service.js';

@ApiTags('Recovery')
@Controller('auth')
export class ItsNotMeController {
  constructor(private readonly notMe: ItsNotMeService) {}

  @Post('its-not-me')
  @Authenticated({ limit: 'auth' })
  @Operation({
    summary: 'Report a login that was not yours',
    description:
      'Ends every session on every instance before it answers, refuses the old password from then on (`password_reset_required`) and mails a reset link.',
    message: 'All sessions have been terminated. Please check your email to reset your password.',
  })
  async itsNotMe(@CurrentPrincipal() principal: Principal, @Body() { refresh_token }: RefreshTokenDto): Promise<void> {
    await this.notMe.lockDown(principal, refresh_token);
  }
}
