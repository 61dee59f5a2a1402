var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { IsOmittable } from '../../common/validation/index.js';
import { RefreshTokenDto } from '../token-refresh/token-refresh.dto.js';
export class LogoutDto extends RefreshTokenDto {
    all_sessions;
}
__decorate([
    ApiPropertyOptional({
        default: false,
        example: false,
        description: 'End all sessions of the account and not this one alone',
    }),
    IsBoolean({ message: 'all_sessions must be true or false' }),
    IsOmittable(),
    __metadata("design:type", Boolean)
], LogoutDto.prototype, "all_sessions", void 0);
//# sourceMappingURL=logout.dto.js.map