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
import { IsPlainText } from '../../common/validation/index.js';
import { UserDto } from '../../users/index.js';
import { TokensDto } from './tokens.dto.js';
export class LoginDto {
    login;
    password;
}
__decorate([
    ApiProperty({ maxLength: 254, example: 'ada_lovelace', description: 'Username or e-mail address, in any case' }),
    MaxLength(254, { message: 'login must be at most 254 characters long' }),
    MinLength(1, { message: 'login must not be empty' }),
    IsPlainText(),
    __metadata("design:type", String)
], LoginDto.prototype, "login", void 0);
__decorate([
    ApiProperty({ maxLength: 1024, format: 'password', example: 'Correct-Horse7!' }),
    MaxLength(1024, { message: 'password must be at most 1024 characters long' }),
    MinLength(1, { message: 'password must not be empty' }),
    IsString({ message: 'password must be a string' }),
    __metadata("design:type", String)
], LoginDto.prototype, "password", void 0);
export class LoggedInDto extends TokensDto {
    user;
}
__decorate([
    ApiProperty(),
    __metadata("design:type", UserDto)
], LoggedInDto.prototype, "user", void 0);
//# sourceMappingURL=login.dto.js.map