import type { Role } from '../../common/access/index.js';
import { IsEmailAddress, IsRoleOrNone } from '../../users/index.js';

export class ChangeRoleDto {
  @IsEmailAddress()
  email: string;

  @IsRoleOrNone()
  role: Role | null;
}
