import { IsIn } from 'class-validator';
import { type Role, ROLES } from '../../common/access/index.js';
import { IsEmailAddress } from '../../users/index.js';

export class ChangeRoleDto {
  @IsEmailAddress()
  email: string;

  @IsIn([...ROLES, null], { message: `role must be ${ROLES.join(', ')} or null` })
  role: Role | null;
}
