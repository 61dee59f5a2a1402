import { ApiProperty } from '@nestjs/swagger';
import { ApiObjectId } from '../../common/openapi/index.js';
import type { AuthRecord } from '../../security/index.js';

/** A user as clients see it: these five fields, in every answer. */
export class UserDto {
  @ApiObjectId()
  _id: string;

  @ApiProperty({ example: 'ada_lovelace' })
  username: string;

  @ApiProperty({ format: 'email', example: 'ada@example.com' })
  email: string;

  @ApiProperty({ example: 'Lovelace' })
  last_name: string;

  @ApiProperty({ example: 'Ada' })
  first_name: string;
}

export function toUserDto({ user }: AuthRecord): UserDto {
  return {
    _id: user._id,
    username: user.username,
    email: user.email,
    last_name: user.last_name,
    first_name: user.first_name,
  };
}
