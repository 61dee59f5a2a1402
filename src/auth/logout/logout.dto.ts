import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { IsOmittable } from '../../common/validation/index.js';
import { RefreshTokenDto } from '../token-refresh/token-refresh.dto.js';

export class LogoutDto extends RefreshTokenDto {
  @ApiPropertyOptional({
    example: false,
    description: 'End all sessions of the account and not this one alone; false unless sent',
  })
  @IsBoolean({ message: 'all_sessions must be true or false' })
  @IsOmittable()
  all_sessions?: boolean;
}
