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
import { Public } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { ForgotPasswordService } from './forgot-password.service.js';
import { ForgotPasswordDto, ResetPasswordDto } from './password-reset.dto.js';
import { PasswordResetService } from './password-reset.service.js';
let PasswordResetController = class PasswordResetController {
    forgottenPassword;
    passwordReset;
    constructor(forgottenPassword, passwordReset) {
        this.forgottenPassword = forgottenPassword;
        this.passwordReset = passwordReset;
    }
    async forgotPassword({ email }) {
        await this.forgottenPassword.request(email);
    }
    async resetPassword({ token, password }) {
        await this.passwordReset.reset(token, password);
    }
};
__decorate([
    Post('forgot-password'),
    Public({ limit: 'auth' }),
    Operation({
        summary: 'Mail a password reset token',
        description: 'The mail carries a token and a link with it, valid for 15 minutes; the newest alone works. Nothing else changes. At most one mail a minute and five an hour go to one address; the answer is the same for every address.',
        message: 'If an account exists for this address, a reset link has been sent to it.',
    }),
    __param(0, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [ForgotPasswordDto]),
    __metadata("design:returntype", Promise)
], PasswordResetController.prototype, "forgotPassword", null);
__decorate([
    Post('reset-password'),
    Public({ limit: 'auth', errors: ['invalid_reset_token'] }),
    Operation({
        summary: 'Choose a new password with a reset token',
        description: 'Ends every session of the account; a new login is needed. After its-not-me the new password must differ from the old.',
        message: 'Password reset successful. Please log in with your new password.',
    }),
    __param(0, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [ResetPasswordDto]),
    __metadata("design:returntype", Promise)
], PasswordResetController.prototype, "resetPassword", null);
PasswordResetController = __decorate([
    ApiTags('Recovery'),
    Controller('auth'),
    __metadata("design:paramtypes", [ForgotPasswordService,
        PasswordResetService])
], PasswordResetController);
export { PasswordResetController };
//# sourceMappingURL=password-reset.controller.js.map