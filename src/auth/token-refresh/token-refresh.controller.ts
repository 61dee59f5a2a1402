import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public, TOKEN_ERRORS } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { TokensDto } from '../login/tokens.dto.js';
import { RefreshTokenDto } from './token-refresh.dto.js';
import { TokenRefreshService } from './token-refresh.service.js';

@ApiTags('Sessions')
@Controller('auth')
export class TokenRefreshController {
  constructor(private readonly tokenRefresh: TokenRefreshService) {}

  @Post('refresh-token')
  @Public({ limit: 'auth', errors: TOKEN_ERRORS })
  @Operation({
    summary: 'Get the next pair of tokens',
    description:
      'Each refresh token works once. Sent again within ten seconds (by default) of its replacement (parallel tabs, a lost answer), or again after a 503 in that time, it yields the same successor. Later, or once that successor was used itself, its session ends with `refresh_token_reused`. A session lives at most 30 days by default. An expired refresh token is `token_expired`: the session is over.',
    message: 'Token refreshed successfully',
    data: TokensDto,
  })
  async refreshToken(@Body() { refresh_token }: RefreshTokenDto): Promise<TokensDto> {
    return this.tokenRefresh.refresh(refresh_token);
  }
}
