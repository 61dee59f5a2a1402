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
/** A user as clients see it: these five fields, in every answer. */
export class UserDto {
    _id;
    username;
    email;
    last_name;
    first_name;
}
__decorate([
    ApiProperty({ pattern: '^[0-9a-fA-F]{24}$', example: '66f2a1b3c4d5e6f708192a3b' }),
    __metadata("design:type", String)
], UserDto.prototype, "_id", void 0);
__decorate([
    ApiProperty({ example: 'ada_lovelace' }),
    __metadata("design:type", String)
], UserDto.prototype, "username", void 0);
__decorate([
    ApiProperty({ format: 'email', example: 'ada@example.com' }),
    __metadata("design:type", String)
], UserDto.prototype, "email", void 0);
__decorate([
    ApiProperty({ example: 'Lovelace' }),
    __metadata("design:type", String)
], UserDto.prototype, "last_name", void 0);
__decorate([
    ApiProperty({ example: 'Ada' }),
    __metadata("design:type", String)
], UserDto.prototype, "first_name", void 0);
export function toUserDto({ user }) {
    return {
        _id: user._id,
        username: user.username,
        email: user.email,
        last_name: user.last_name,
        first_name: user.first_name,
    };
}
//# sourceMappingURL=user.dto.js.map