var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageQueryDto } from '../../common/pagination/index.js';
import { IsOmittable, IsSearch } from '../../common/validation/index.js';
import { toAccountFacts } from '../accounts/account.js';
import { USER_STATUSES } from '../accounts/user.schema.js';
import { ProfileDto, toProfileDto } from '../profile/profile.dto.js';
export class UsersQueryDto extends PageQueryDto {
    search;
    status;
}
__decorate([
    IsSearch('Beginning of a username or an address, in any case', 'ada'),
    __metadata("design:type", String)
], UsersQueryDto.prototype, "search", void 0);
__decorate([
    ApiPropertyOptional({ enum: USER_STATUSES, example: 'active' }),
    IsIn(USER_STATUSES, { message: `status must be one of ${USER_STATUSES.join(', ')}` }),
    IsOmittable(),
    __metadata("design:type", String)
], UsersQueryDto.prototype, "status", void 0);
export class ChangeUserDto {
    role;
    status;
}
__decorate([
    ApiPropertyOptional({
        type: String,
        enum: ['admin'],
        nullable: true,
        example: 'admin',
        description: 'null takes the role away',
    }),
    IsIn(['admin', null], { message: 'role must be admin or null' }),
    IsOmittable(),
    __metadata("design:type", Object)
], ChangeUserDto.prototype, "role", void 0);
__decorate([
    ApiPropertyOptional({
        enum: ['active', 'inactive'],
        example: 'inactive',
        description: 'inactive disables the account and ends its sessions',
    }),
    IsIn(['active', 'inactive'], { message: 'status must be active or inactive' }),
    IsOmittable(),
    __metadata("design:type", String)
], ChangeUserDto.prototype, "status", void 0);
/** An account as administrators see it. */
export class ManagedUserDto extends ProfileDto {
    status;
    role;
    confirmed_at;
}
__decorate([
    ApiProperty({ enum: USER_STATUSES, example: 'active' }),
    __metadata("design:type", String)
], ManagedUserDto.prototype, "status", void 0);
__decorate([
    ApiProperty({ type: String, enum: ['admin'], nullable: true, example: null }),
    __metadata("design:type", Object)
], ManagedUserDto.prototype, "role", void 0);
__decorate([
    ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-01-31T09:30:00.000Z' }),
    __metadata("design:type", Object)
], ManagedUserDto.prototype, "confirmed_at", void 0);
export function toManagedUserDto(account) {
    return {
        ...toProfileDto(toAccountFacts(account)),
        status: account.status,
        role: account.role,
        confirmed_at: account.confirmedAt?.toISOString() ?? null,
    };
}
//# sourceMappingURL=users-administration.dto.js.map