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
import { IsIn, IsMongoId, IsOptional } from 'class-validator';
import { PageQueryDto } from '../../common/pagination/index.js';
import { SECURITY_EVENT_KINDS } from './security-event-kinds.js';
export class SecurityEventsQueryDto extends PageQueryDto {
    user;
    kind;
}
__decorate([
    ApiPropertyOptional({
        pattern: '^[0-9a-fA-F]{24}$',
        example: '66f2a1b3c4d5e6f708192a3b',
        description: 'Events of one account',
    }),
    IsMongoId({ message: 'user must be 24 hexadecimal characters' }),
    IsOptional(),
    __metadata("design:type", String)
], SecurityEventsQueryDto.prototype, "user", void 0);
__decorate([
    ApiPropertyOptional({ enum: SECURITY_EVENT_KINDS, example: 'authn_login_fail', description: 'Events of one kind' }),
    IsIn(SECURITY_EVENT_KINDS, { message: 'kind must be one of the documented kinds' }),
    IsOptional(),
    __metadata("design:type", String)
], SecurityEventsQueryDto.prototype, "kind", void 0);
export class SecurityEventDto {
    _id;
    kind;
    outcome;
    at;
    user;
    session;
    ip;
    request_id;
    detail;
}
__decorate([
    ApiProperty({ example: '66f2a1b3c4d5e6f708192a3b' }),
    __metadata("design:type", String)
], SecurityEventDto.prototype, "_id", void 0);
__decorate([
    ApiProperty({ enum: SECURITY_EVENT_KINDS, example: 'authn_login_fail' }),
    __metadata("design:type", String)
], SecurityEventDto.prototype, "kind", void 0);
__decorate([
    ApiProperty({ enum: ['success', 'failure'] }),
    __metadata("design:type", String)
], SecurityEventDto.prototype, "outcome", void 0);
__decorate([
    ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' }),
    __metadata("design:type", String)
], SecurityEventDto.prototype, "at", void 0);
__decorate([
    ApiProperty({
        type: String,
        nullable: true,
        example: '66f2a1b3c4d5e6f708192a3b',
        description: 'The account concerned',
    }),
    __metadata("design:type", Object)
], SecurityEventDto.prototype, "user", void 0);
__decorate([
    ApiProperty({ type: String, nullable: true, example: null, description: 'The session concerned' }),
    __metadata("design:type", Object)
], SecurityEventDto.prototype, "session", void 0);
__decorate([
    ApiProperty({ type: String, nullable: true, example: '203.0.113.7' }),
    __metadata("design:type", Object)
], SecurityEventDto.prototype, "ip", void 0);
__decorate([
    ApiProperty({
        type: String,
        nullable: true,
        example: '3f0d7f5e-8a53-4b0f-9a35-55a3e1d6f4a5',
        description: '`x-request-id`',
    }),
    __metadata("design:type", Object)
], SecurityEventDto.prototype, "request_id", void 0);
__decorate([
    ApiProperty({
        type: String,
        nullable: true,
        example: 'invalid_credentials',
        description: 'Error code, route, or the like',
    }),
    __metadata("design:type", Object)
], SecurityEventDto.prototype, "detail", void 0);
export function toSecurityEventDto(event) {
    const { _id, kind, outcome, at, user, session, ip, request_id, detail } = event;
    return {
        _id: _id.toHexString(),
        kind,
        outcome,
        at: at.toISOString(),
        user: user?.toHexString() ?? null,
        session,
        ip,
        request_id,
        detail,
    };
}
//# sourceMappingURL=security-events.dto.js.map