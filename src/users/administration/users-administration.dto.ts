import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsMongoId, MaxLength, MinLength } from 'class-validator';
import type { Role } from '../../common/access/index.js';
import { PageQueryDto } from '../../common/pagination/index.js';
import { IsOmittable, IsPlainText } from '../../security/index.js';
import type { Account } from '../accounts/account.js';
import { USER_STATUSES, type UserStatus } from '../accounts/user.schema.js';
import { ProfileDto, toProfileDto } from '../profile/profile.dto.js';

export class UserIdDto {
  @ApiProperty({ pattern: '^[0-9a-fA-F]{24}$', example: '66f2a1b3c4d5e6f708192a3b' })
  @IsMongoId({ message: 'id must be 24 hexadecimal characters' })
  id: string;
}

export class UsersQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 254,
    example: 'ada',
    description: 'Beginning of a username or an address, in any case',
  })
  @MaxLength(254, { message: 'search must be at most 254 characters long' })
  @MinLength(1, { message: 'search must not be empty' })
  @IsPlainText()
  @IsOmittable()
  search?: string;

  @ApiPropertyOptional({ enum: USER_STATUSES, example: 'active' })
  @IsIn(USER_STATUSES, { message: `status must be one of ${USER_STATUSES.join(', ')}` })
  @IsOmittable()
  status?: UserStatus;
}

export class ChangeUserDto {
  @ApiPropertyOptional({
    type: String,
    enum: ['admin'],
    nullable: true,
    example: 'admin',
    description: 'null takes the role away',
  })
  @IsIn(['admin', null], { message: 'role must be admin or null' })
  @IsOmittable()
  role?: Role | null;

  @ApiPropertyOptional({
    enum: ['active', 'inactive'],
    example: 'inactive',
    description: 'inactive disables the account and ends its sessions',
  })
  @IsIn(['active', 'inactive'], { message: 'status must be active or inactive' })
  @IsOmittable()
  status?: 'active' | 'inactive';
}

/** An account as administrators see it. */
export class ManagedUserDto extends ProfileDto {
  @ApiProperty({ enum: USER_STATUSES, example: 'active' })
  status: UserStatus;

  @ApiProperty({ type: String, enum: ['admin'], nullable: true, example: null })
  role: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-01-31T09:30:00.000Z' })
  confirmed_at: string | null;
}

export function toManagedUserDto(account: Account): ManagedUserDto {
  return {
    ...toProfileDto(account),
    status: account.status,
    role: account.role,
    confirmed_at: account.confirmedAt?.toISOString() ?? null,
  };
}
