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
import { ResendOtpDto, VerifiedDto, VerifyOtpDto } from './email-verification.dto.js';
import { EmailVerificationService } from './email-verification.service.js';
let EmailVerificationController = class EmailVerificationController {
    verification;
    constructor(verification) {
        this.verification = verification;
    }
    async verifyOtp({ email, otp }) {
        await this.verification.verify(email, otp);
        return { verified: true };
    }
    async resendOtp({ email }) {
        await this.verification.resend(email);
    }
};
__decorate([
    Post('verify-otp'),
    Public({ limit: 'auth', errors: ['invalid_otp'] }),
    Operation({
        summary: 'Confirm the e-mail address with the OTP',
        description: 'A code works once, for ten minutes, and dies after five wrong tries. The answer to a wrong, old or used code and to an unknown address is the same.',
        message: 'Email verified successfully',
        data: VerifiedDto,
    }),
    __param(0, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [VerifyOtpDto]),
    __metadata("design:returntype", Promise)
], EmailVerificationController.prototype, "verifyOtp", null);
__decorate([
    Post('resend-otp'),
    Public({ limit: 'auth' }),
    Operation({
        summary: 'Mail a new OTP',
        description: 'A new code replaces the older one. At most one mail a minute and five an hour go to one address; the answer is the same for every address.',
        message: 'If this address awaits confirmation, a new OTP has been sent to it.',
    }),
    __param(0, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [ResendOtpDto]),
    __metadata("design:returntype", Promise)
], EmailVerificationController.prototype, "resendOtp", null);
EmailVerificationController = __decorate([
    ApiTags('Registration'),
    Controller('auth'),
    __metadata("design:paramtypes", [EmailVerificationService])
], EmailVerificationController);
export { EmailVerificationController };
//# sourceMappingURL=email-verification.controller.js.map