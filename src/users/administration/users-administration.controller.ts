import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import type { Page } from '../../common/pagination/index.js';
import { IdParamDto } from '../../common/validation/index.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { ChangeUserDto, ManagedUserDto, toManagedUserDto, UsersQueryDto } from './users-administration.dto.js';
import { UsersAdministrationService } from './users-administration.service.js';

@ApiTags('Administration')
@Controller('api/users')
export class UsersAdministrationController {
  constructor(
    private readonly administration: UsersAdministrationService,
    private readonly accounts: AccountsRepository,
  ) {}

  @Get()
  @AdminOnly()
  @Operation({
    summary: 'List accounts',
    description:
      'Newest first; with `search` by alphabet: those whose username begins so before those whose address does. Deleted ones are among them (`deleted_at`). Accounts move to other pages while some are added, or change what you filter by: leave out those you have had, by `_id`, and begin again at the first page after changes of your own.',
    message: 'Users',
    page: ManagedUserDto,
  })
  async listUsers(@Query() query: UsersQueryDto): Promise<Page<ManagedUserDto>> {
    const { content, pagination } = await this.accounts.list(query);
    return { content: content.map(toManagedUserDto), pagination };
  }

  @Get(':id')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'Read an account',
    description: 'Deleted accounts too; `deleted_at` tells.',
    message: 'User',
    data: ManagedUserDto,
  })
  async getUser(@Param() { id }: IdParamDto): Promise<ManagedUserDto> {
    return toManagedUserDto(await this.administration.get(id));
  }

  @Patch(':id')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'Change role or status of an account',
    description:
      'Both or neither are changed, and hold at once, on every instance. An account that becomes inactive loses its sessions. Of administrators who decide at the same time, one comes after the other. They may decide about themselves: if none is left, an operator’s command makes one.',
    message: 'User changed',
    data: ManagedUserDto,
  })
  async changeUser(@Param() { id }: IdParamDto, @Body() dto: ChangeUserDto): Promise<ManagedUserDto> {
    return toManagedUserDto(await this.administration.change(id, dto));
  }

  @Delete(':id')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'Delete an account',
    description: 'The account loses its sessions and can be restored; its username and address stay taken.',
    message: 'User deleted',
  })
  async deleteUser(@Param() { id }: IdParamDto): Promise<void> {
    await this.administration.delete(id);
  }

  @Post(':id/restore')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'Restore a deleted account',
    description: 'Its sessions stay ended. An account that is not deleted stays as it is.',
    message: 'User restored',
    data: ManagedUserDto,
  })
  async restoreUser(@Param() { id }: IdParamDto): Promise<ManagedUserDto> {
    return toManagedUserDto(await this.administration.restore(id));
  }
}
