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
import { toAuthRecord, toUserDto } from '../../users/index.js';
import { RegisterDto, RegisteredDto } from './register.dto.js';
import { RegistrationService } from './registration.service.js';
let RegistrationController = class RegistrationController {
    registration;
    constructor(registration) {
        this.registration = registration;
    }
    async register(dto) {
        const account = await this.registration.register(dto);
        return { user: toUserDto(toAuthRecord(account)), otp_sent: true };
    }
};
__decorate([
    Post('register'),
    Public({ limit: 'auth' }),
    Operation({
        summary: 'Register an account',
        description: 'Makes an account whose e-mail address is not yet confirmed, and mails a one-time code to it. A username or an address that is taken is a `validation_failed` of that field. An account that was not confirmed within the validity of its code gives way to a new registration of the same address.',
        status: 201,
        message: 'Registration successful. Please check your email for the OTP.',
        data: RegisteredDto,
    }),
    __param(0, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [RegisterDto]),
    __metadata("design:returntype", Promise)
], RegistrationController.prototype, "register", null);
RegistrationController = __decorate([
    ApiTags('Registration'),
    Controller('auth'),
    __metadata("design:paramtypes", [RegistrationService])
], RegistrationController);
export { RegistrationController };
//# sourceMappingURL=registration.controller.js.map