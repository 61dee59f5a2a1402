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
import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Protected } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Operation } from '../../common/openapi/index.js';
import { Authenticator, CurrentPrincipal } from '../../security/index.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { toAccountFacts } from '../accounts/account.js';
import { ChangeProfileDto } from './change-profile.dto.js';
import { ProfileDto, toProfileDto } from './profile.dto.js';
let ProfileController = class ProfileController {
    accounts;
    authenticator;
    constructor(accounts, authenticator) {
        this.accounts = accounts;
        this.authenticator = authenticator;
    }
    getProfile(principal) {
        return toProfileDto(principal);
    }
    async changeProfile({ userId }, dto) {
        const { first_name: firstName, last_name: lastName, username } = dto;
        const account = await this.accounts.changeProfile(userId, { firstName, lastName, username });
        if (!account)
            throw new ApiError('session_revoked');
        await this.authenticator.forgetAccount(userId);
        return toProfileDto(toAccountFacts(account));
    }
};
__decorate([
    Get(),
    Protected(),
    Operation({ summary: 'Read one’s own account', message: 'Profile', data: ProfileDto }),
    __param(0, CurrentPrincipal()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object]),
    __metadata("design:returntype", ProfileDto)
], ProfileController.prototype, "getProfile", null);
__decorate([
    Patch(),
    Protected(),
    Operation({ summary: 'Change one’s own names', message: 'Profile changed', data: ProfileDto }),
    __param(0, CurrentPrincipal()),
    __param(1, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object, ChangeProfileDto]),
    __metadata("design:returntype", Promise)
], ProfileController.prototype, "changeProfile", null);
ProfileController = __decorate([
    ApiTags('Profile'),
    Controller('api/profile'),
    __metadata("design:paramtypes", [AccountsRepository,
        Authenticator])
], ProfileController);
export { ProfileController };
//# sourceMappingURL=profile.controller.js.map