var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { SecurityEventDto, SecurityEventsQueryDto, toSecurityEventDto } from './security-events.dto.js';
import { SecurityEventsRepository } from './security-events.repository.js';
let SecurityEventsController = class SecurityEventsController {
    events;
    constructor(events) {
        this.events = events;
    }
    async listSecurityEvents(query) {
        const { content, pagination } = await this.events.list(query);
        return { content: content.map(toSecurityEventDto), pagination };
    }
};
__decorate([
    Get(),
    AdminOnly(),
    Operation({
        summary: 'Read the record of security events',
        description: 'Logins and refusals, resets, lockdowns, reused tokens, changes of roles and keys: newest first, kept for 90 days.',
        message: 'Security events',
        page: SecurityEventDto,
    }),
    __param(0, Query()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [SecurityEventsQueryDto]),
    __metadata("design:returntype", Promise)
], SecurityEventsController.prototype, "listSecurityEvents", null);
SecurityEventsController = __decorate([
    ApiTags('Administration'),
    Controller('api/security-events'),
    __metadata("design:paramtypes", [SecurityEventsRepository])
], SecurityEventsController);
export { SecurityEventsController };
//# sourceMappingURL=security-events.controller.js.map