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
import { IsEmailAddress } from '../../users/index.js';
export class ForgotPasswordDto {
    email;
}
__decorate([
    IsEmailAddress(),
    __metadata("design:type", String)
], ForgotPasswordDto.prototype, "email", void 0);
export class ResetPasswordDto {
    token;
    password;
    password_confirmation;
}
__decorate([
    ApiProperty({
        maxLength: 256,
        example: 'kR3v0mB1xYt0wJ5qZ8dT2hL6nP9sC4gF7aE1uI3oM5k',
        description: 'The token of the mail',
    }),
    MaxLength(256, { message: 'token must be at most 256 characters long' }),
    MinLength(1, { message: 'token must not be empty' }),
    IsString({ message: 'token must be a string' }),
    __metadata("design:type", String)
], ResetPasswordDto.prototype, "token", void 0);
__decorate([
    IsNewPassword(),
    __metadata("design:type", String)
], ResetPasswordDto.prototype, "password", void 0);
__decorate([
    IsConfirmationOf('password'),
    __metadata("design:type", String)
], ResetPasswordDto.prototype, "password_confirmation", void 0);
//# sourceMappingURL=password-reset.dto.js.map