var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { IsEmailAddress } from '../../users/index.js';
export class VerifyOtpDto {
    email;
    otp;
}
__decorate([
    IsEmailAddress(),
    __metadata("design:type", String)
], VerifyOtpDto.prototype, "email", void 0);
__decorate([
    ApiProperty({ pattern: '^[0-9]{6}$', example: '482913', description: 'The six digits of the mail, as a string' }),
    Matches(/^[0-9]{6}$/, { message: 'otp must be 6 digits' }),
    IsString({ message: 'otp must be a string' }),
    __metadata("design:type", String)
], VerifyOtpDto.prototype, "otp", void 0);
export class VerifiedDto {
    verified;
}
__decorate([
    ApiProperty({ example: true }),
    __metadata("design:type", Boolean)
], VerifiedDto.prototype, "verified", void 0);
export class ResendOtpDto {
    email;
}
__decorate([
    IsEmailAddress(),
    __metadata("design:type", String)
], ResendOtpDto.prototype, "email", void 0);
//# sourceMappingURL=email-verification.dto.js.map