import { Body, Controller, Get, Patch, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Protected } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { type AuthenticatedRequest, CurrentPrincipal, type Principal } from '../../security/index.js';
import { toAccountFacts } from '../accounts/account.js';
import { ChangeProfileDto } from './change-profile.dto.js';
import { ProfileDto, toProfileDto } from './profile.dto.js';
import { ProfileService } from './profile.service.js';

@ApiTags('Profile')
@Controller('api/profile')
export class ProfileController {
  constructor(private readonly profiles: ProfileService) {}

  // Applications call this for each request of their own. The principal is read from the request, since Nest makes eleven promises
  // to pass the parameter of a custom decorator through the pipes.
  @Get()
  @Protected()
  @Operation({
    summary: 'Read one’s own account',
    description: 'Also tells whether the access token is still good.',
    message: 'Profile',
    data: ProfileDto,
  })
  getProfile(@Req() { user }: AuthenticatedRequest): ProfileDto {
    return toProfileDto(user);
  }

  @Patch()
  @Protected()
  @Operation({
    summary: 'Change one’s own names',
    description:
      'What is left out stays as it is. A username that is taken is a `validation_failed`. A change of it is told to the account’s address by mail, and may be tried twenty times in an hour. The e-mail address cannot be changed.',
    message: 'Profile changed',
    data: ProfileDto,
  })
  async changeProfile(@CurrentPrincipal() principal: Principal, @Body() dto: ChangeProfileDto): Promise<ProfileDto> {
    return toProfileDto(toAccountFacts(await this.profiles.change(principal, dto)));
  }
}
