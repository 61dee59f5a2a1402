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
import { IsString, MaxLength, MinLength } from 'class-validator';
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';
export class ChangePasswordDto {
    current_password;
    password;
    password_confirmation;
}
__decorate([
    ApiProperty({ maxLength: 1024, format: 'password', example: 'Correct-Horse7@' }),
    MaxLength(1024, { message: 'current_password must be at most 1024 characters long' }),
    MinLength(1, { message: 'current_password must not be empty' }),
    IsString({ message: 'current_password must be a string' }),
    __metadata("design:type", String)
], ChangePasswordDto.prototype, "current_password", void 0);
__decorate([
    IsNewPassword(),
    __metadata("design:type", String)
], ChangePasswordDto.prototype, "password", void 0);
__decorate([
    IsConfirmationOf('password'),
    __metadata("design:type", String)
], ChangePasswordDto.prototype, "password_confirmation", void 0);
//# sourceMappingURL=password-change.dto.js.map