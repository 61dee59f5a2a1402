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
import { IsConfirmationOf, IsNewPassword } from '../../security/index.js';
import { IsEmailAddress, IsPersonName, IsUsername, UserDto } from '../../users/index.js';
export class RegisterDto {
    last_name;
    first_name;
    username;
    email;
    password;
    password_confirmation;
}
__decorate([
    IsPersonName('Lovelace'),
    __metadata("design:type", String)
], RegisterDto.prototype, "last_name", void 0);
__decorate([
    IsPersonName('Ada'),
    __metadata("design:type", String)
], RegisterDto.prototype, "first_name", void 0);
__decorate([
    IsUsername(),
    __metadata("design:type", String)
], RegisterDto.prototype, "username", void 0);
__decorate([
    IsEmailAddress(),
    __metadata("design:type", String)
], RegisterDto.prototype, "email", void 0);
__decorate([
    IsNewPassword(),
    __metadata("design:type", String)
], RegisterDto.prototype, "password", void 0);
__decorate([
    IsConfirmationOf('password'),
    __metadata("design:type", String)
], RegisterDto.prototype, "password_confirmation", void 0);
export class RegisteredDto {
    user;
    otp_sent;
}
__decorate([
    ApiProperty(),
    __metadata("design:type", UserDto)
], RegisteredDto.prototype, "user", void 0);
__decorate([
    ApiProperty({ example: true, description: 'The mail with the OTP is stored and will be sent' }),
    __metadata("design:type", Boolean)
], RegisteredDto.prototype, "otp_sent", void 0);
//# sourceMappingURL=register.dto.js.map