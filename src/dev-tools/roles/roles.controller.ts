import { Body, Controller, Patch } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiError } from '../../common/errors/index.js';
import { AccountsRepository, UsersAdministrationService } from '../../users/index.js';
import { DevRoute } from '../dev-route.decorator.js';
import { ChangeRoleDto } from './roles.dto.js';

/** Over HTTP only an administrator makes another: a suite that has nothing but HTTP needs a first one. */
@ApiExcludeController()
@Controller('dev/roles')
export class RolesController {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly administration: UsersAdministrationService,
  ) {}

  /** @throws ApiError `validation_failed` if there is no such account, or it cannot have the role */
  @Patch()
  @DevRoute({
    summary:
      'Makes an account an administrator: { "email": "<address>", "role": "admin" }. Takes any role, and null for none',
    message: 'Role changed',
  })
  async changeRole(@Body() { email, role }: ChangeRoleDto): Promise<ChangeRoleDto> {
    const account = await this.accounts.findByEmail(email);
    if (!account) throw ApiError.invalidField('email', 'email must be the address of an account');
    await this.administration.change(account.userId, { role });
    return { email: account.email, role };
  }
}
