var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { IdParamDto } from '../../common/validation/index.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { ChangeUserDto, ManagedUserDto, toManagedUserDto, UsersQueryDto } from './users-administration.dto.js';
import { UsersAdministrationService } from './users-administration.service.js';
let UsersAdministrationController = class UsersAdministrationController {
    administration;
    accounts;
    constructor(administration, accounts) {
        this.administration = administration;
        this.accounts = accounts;
    }
    async listUsers(query) {
        const { content, pagination } = await this.accounts.list(query);
        return { content: content.map(toManagedUserDto), pagination };
    }
    async getUser({ id }) {
        return toManagedUserDto(await this.administration.get(id));
    }
    async changeUser({ id }, dto) {
        return toManagedUserDto(await this.administration.change(id, dto));
    }
    async deleteUser({ id }) {
        await this.administration.delete(id);
    }
    async restoreUser({ id }) {
        return toManagedUserDto(await this.administration.restore(id));
    }
};
__decorate([
    Get(),
    AdminOnly(),
    Operation({ summary: 'List accounts', description: 'Newest first.', message: 'Users', page: ManagedUserDto }),
    __param(0, Query()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [UsersQueryDto]),
    __metadata("design:returntype", Promise)
], UsersAdministrationController.prototype, "listUsers", null);
__decorate([
    Get(':id'),
    AdminOnly({ errors: ['not_found'] }),
    Operation({ summary: 'Read an account', message: 'User', data: ManagedUserDto }),
    __param(0, Param()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [IdParamDto]),
    __metadata("design:returntype", Promise)
], UsersAdministrationController.prototype, "getUser", null);
__decorate([
    Patch(':id'),
    AdminOnly({ errors: ['not_found'] }),
    Operation({
        summary: 'Change role or status of an account',
        description: 'Both hold at once, on every instance. An account that becomes inactive loses its sessions.',
        message: 'User changed',
        data: ManagedUserDto,
    }),
    __param(0, Param()),
    __param(1, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [IdParamDto, ChangeUserDto]),
    __metadata("design:returntype", Promise)
], UsersAdministrationController.prototype, "changeUser", null);
__decorate([
    Delete(':id'),
    AdminOnly({ errors: ['not_found'] }),
    Operation({
        summary: 'Delete an account',
        description: 'The account loses its sessions and can be restored; its username and address stay taken.',
        message: 'User deleted',
    }),
    __param(0, Param()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [IdParamDto]),
    __metadata("design:returntype", Promise)
], UsersAdministrationController.prototype, "deleteUser", null);
__decorate([
    Post(':id/restore'),
    AdminOnly({ errors: ['not_found'] }),
    Operation({ summary: 'Restore a deleted account', message: 'User restored', data: ManagedUserDto }),
    __param(0, Param()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [IdParamDto]),
    __metadata("design:returntype", Promise)
], UsersAdministrationController.prototype, "restoreUser", null);
UsersAdministrationController = __decorate([
    ApiTags('Administration'),
    Controller('api/users'),
    __metadata("design:paramtypes", [UsersAdministrationService,
        AccountsRepository])
], UsersAdministrationController);
export { UsersAdministrationController };
//# sourceMappingURL=users-administration.controller.js.map