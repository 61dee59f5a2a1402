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
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Protected } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentPrincipal } from '../../security/index.js';
import { ChangePasswordDto } from './password-change.dto.js';
import { PasswordChangeService } from './password-change.service.js';
let PasswordChangeController = class PasswordChangeController {
    passwordChange;
    constructor(passwordChange) {
        this.passwordChange = passwordChange;
    }
    async changePassword(principal, dto) {
        await this.passwordChange.change(principal, dto);
    }
};
__decorate([
    Post('password'),
    Protected(),
    Operation({
        summary: 'Change one’s own password',
        description: 'Asks for the current one. Every other session of the account ends; this one goes on.',
        message: 'Password changed',
    }),
    __param(0, CurrentPrincipal()),
    __param(1, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object, ChangePasswordDto]),
    __metadata("design:returntype", Promise)
], PasswordChangeController.prototype, "changePassword", null);
PasswordChangeController = __decorate([
    ApiTags('Profile'),
    Controller('api/profile'),
    __metadata("design:paramtypes", [PasswordChangeService])
], PasswordChangeController);
export { PasswordChangeController };
//# sourceMappingURL=password-change.controller.js.map