import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { type Role, ROLE_MEANINGS, ROLES } from '../../common/access/index.js';
import { ApiDateTime } from '../../common/openapi/index.js';
import { PageQueryDto } from '../../common/pagination/index.js';
import { IsOmittable, IsSearch } from '../../common/validation/index.js';
import { type ListedAccount, toAccountFacts } from '../accounts/account.js';
import { USER_STATUSES, type UserStatus } from '../accounts/user.schema.js';
import { IsRoleOrNone } from '../fields/account-fields.decorator.js';
import { ProfileDto, toProfileDto } from '../profile/profile.dto.js';

const STATUS = {
  enum: USER_STATUSES,
  enumName: 'UserStatus',
  enumSchema: { description: '`pending` until the address is confirmed; `inactive` once disabled or deleted' },
};

const ROLE = {
  enum: ROLES,
  enumName: 'Role',
  enumSchema: { description: ROLES.map((role) => `\`${role}\` ${ROLE_MEANINGS[role]}`).join('; ') },
};

export class UsersQueryDto extends PageQueryDto {
  @IsSearch('Beginning of a username or an address, in any case', 'ada')
  search?: string;

  @ApiPropertyOptional({ ...STATUS, example: 'active', description: 'Accounts of one status' })
  @IsIn(USER_STATUSES, { message: `status must be one of ${USER_STATUSES.join(', ')}` })
  @IsOmittable()
  status?: UserStatus;

  @ApiPropertyOptional({ ...ROLE, example: 'admin', description: 'Accounts of one role' })
  @IsIn(ROLES, { message: `role must be one of ${ROLES.join(', ')}` })
  @IsOmittable()
  role?: Role;
}

export class ChangeUserDto {
  @ApiPropertyOptional({
    ...ROLE,
    nullable: true,
    example: null,
    description: 'Given to an account that is active, its address confirmed; null takes the role away',
  })
  @IsRoleOrNone()
  @IsOmittable()
  role?: Role | null;

  @ApiPropertyOptional({
    enum: ['active', 'inactive'],
    example: 'inactive',
    description:
      'inactive disables the account and ends its sessions; active enables it again. One that was disabled before its address was confirmed is `pending` again; one that is `pending`, or only deleted, cannot be made active',
  })
  @IsIn(['active', 'inactive'], { message: 'status must be active or inactive' })
  @IsOmittable()
  status?: 'active' | 'inactive';
}

/** An account as administrators see it. */
export class ManagedUserDto extends ProfileDto {
  @ApiProperty({ ...STATUS, example: 'active' })
  status: UserStatus;

  @ApiProperty({ ...ROLE, nullable: true, example: null })
  role: Role | null;

  @ApiDateTime({ isNullable: true, description: 'When the address was confirmed; null before' })
  confirmed_at: string | null;

  @ApiDateTime({
    isNullable: true,
    example: null,
    description: 'Since when the account is disabled; null if it is not. A deleted one can be disabled besides',
  })
  disabled_at: string | null;

  @ApiProperty({
    example: false,
    description:
      'After a login was reported, or an import without a password: nobody logs in until the password is reset by mail',
  })
  password_reset_required: boolean;
}

export function toManagedUserDto(account: ListedAccount): ManagedUserDto {
  return {
    ...toProfileDto(toAccountFacts(account)),
    status: account.status,
    role: account.role,
    confirmed_at: account.confirmedAt?.toISOString() ?? null,
    disabled_at: account.disabledAt?.toISOString() ?? null,
    password_reset_required: account.isPasswordResetRequired,
  };
}
