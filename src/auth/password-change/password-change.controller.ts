import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Protected } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentPrincipal, type Principal } from '../../security/index.js';
import { ChangePasswordDto } from './password-change.dto.js';
import { PasswordChangeService } from './password-change.service.js';

@ApiTags('Profile')
@Controller('api/profile')
export class PasswordChangeController {
  constructor(private readonly passwordChange: PasswordChangeService) {}

  @Post('password')
  @Protected()
  @Operation({
    summary: 'Change one’s own password',
    description:
      'Asks for the current one. Every other session of the account ends, and a reset link that was mailed before stops working; this session goes on. At most five times an hour.',
    message: 'Password changed',
  })
  async changePassword(@CurrentPrincipal() principal: Principal, @Body() dto: ChangePasswordDto): Promise<void> {
    await this.passwordChange.change(principal, dto);
  }
}
