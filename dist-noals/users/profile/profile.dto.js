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
import { toUserDto, UserDto } from './user.dto.js';
/** One's own account. */
export class ProfileDto extends UserDto {
    created_at;
    updated_at;
    deleted_at;
}
__decorate([
    ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' }),
    __metadata("design:type", String)
], ProfileDto.prototype, "created_at", void 0);
__decorate([
    ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' }),
    __metadata("design:type", String)
], ProfileDto.prototype, "updated_at", void 0);
__decorate([
    ApiProperty({ type: String, format: 'date-time', nullable: true, example: null }),
    __metadata("design:type", Object)
], ProfileDto.prototype, "deleted_at", void 0);
export function toProfileDto({ record, dates }) {
    return { ...toUserDto(record), ...dates };
}
//# sourceMappingURL=profile.dto.js.map