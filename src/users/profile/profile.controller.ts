import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Protected } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentPrincipal, type Principal } from '../../security/index.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { ProfileDto, toProfileDto } from './profile.dto.js';

@ApiTags('Profile')
@Controller('api/profile')
export class ProfileController {
  constructor(private readonly accounts: AccountsRepository) {}

  @Get()
  @Protected()
  @Operation({ summary: 'Read one’s own account', message: 'Profile', data: ProfileDto })
  async getProfile(@CurrentPrincipal() { userId }: Principal): Promise<ProfileDto> {
    const account = await this.accounts.findById(userId);
    if (!account) throw new ApiError('session_revoked');
    return toProfileDto(account);
  }
}
