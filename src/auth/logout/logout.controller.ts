import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentPrincipal, type Principal } from '../../security/index.js';
import { LogoutDto } from './logout.dto.js';
import { LogoutService } from './logout.service.js';

@ApiTags('Sessions')
@Controller('auth')
export class LogoutController {
  constructor(private readonly logoutService: LogoutService) {}

  @Post('logout')
  @Authenticated({ limit: 'auth' })
  @Operation({
    summary: 'Log out',
    description:
      'Ends the session of the bearer at once; its access token and refresh token are refused from then on. The refresh token must be one of the same session: with another the request is refused as `token_invalid`, and both sessions go on. If the access token has expired, refresh first.',
    message: 'Logout successful',
  })
  async logout(@CurrentPrincipal() principal: Principal, @Body() dto: LogoutDto): Promise<void> {
    await this.logoutService.logout(principal, dto.refresh_token, dto.all_sessions ?? false);
  }
}
