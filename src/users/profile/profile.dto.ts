import { ApiDateTime } from '../../common/openapi/index.js';
import type { AccountFacts } from '../../security/index.js';
import { toUserDto, UserDto } from './user.dto.js';

/** One's own account. */
export class ProfileDto extends UserDto {
  @ApiDateTime()
  created_at: string;

  @ApiDateTime()
  updated_at: string;

  @ApiDateTime({
    isNullable: true,
    example: null,
    description: 'When an administrator deleted the account. Only administrators see it: null in one’s own profile',
  })
  deleted_at: string | null;
}

export function toProfileDto({ record, dates }: AccountFacts): ProfileDto {
  const profile = toUserDto(record) as ProfileDto;
  // Assigned, since two object spreads took a fiftieth of the request.
  profile.created_at = dates.created_at;
  profile.updated_at = dates.updated_at;
  profile.deleted_at = dates.deleted_at;
  return profile;
}
