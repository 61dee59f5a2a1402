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
import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly, Protected } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Operation } from '../../common/openapi/index.js';
import { PageQueryDto } from '../../common/pagination/index.js';
import { IdParamDto } from '../../common/validation/index.js';
import { CurrentPrincipal } from '../../security/index.js';
import { Sessions } from '../sessions/sessions.js';
import { LoginHistoryDto, LoginStatisticsDto, toLoginHistoryDto } from './login-history.dto.js';
import { LoginHistoryRepository } from './login-history.repository.js';
let LoginHistoryController = class LoginHistoryController {
    history;
    sessions;
    constructor(history, sessions) {
        this.history = history;
        this.sessions = sessions;
    }
    async listLoginHistory({ userId, sessionId }, query) {
        const { content, pagination } = await this.history.list(userId, query);
        return { content: content.map((entry) => toLoginHistoryDto(entry, sessionId)), pagination };
    }
    async getLoginStatistics({ userId }) {
        return this.history.statistics(userId);
    }
    async endSession({ userId }, { id }) {
        // Somebody else's session is as little to be found as one that never was.
        if (!(await this.history.belongsTo(id, userId)))
            throw new ApiError('not_found');
        await this.sessions.end(id, 'session_revoked');
    }
    async listUserLoginHistory({ id }, query) {
        const { content, pagination } = await this.history.list(id, query);
        return { content: content.map((entry) => toLoginHistoryDto(entry, null)), pagination };
    }
};
__decorate([
    Get('login-history'),
    Protected(),
    Operation({
        summary: 'List one’s own sessions',
        description: 'Newest first. A login that was logged out is no longer in it.',
        message: 'Login history',
        page: LoginHistoryDto,
    }),
    __param(0, CurrentPrincipal()),
    __param(1, Query()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object, PageQueryDto]),
    __metadata("design:returntype", Promise)
], LoginHistoryController.prototype, "listLoginHistory", null);
__decorate([
    Get('login-history/statistics'),
    Protected(),
    Operation({ summary: 'Count one’s own logins', message: 'Login statistics', data: LoginStatisticsDto }),
    __param(0, CurrentPrincipal()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object]),
    __metadata("design:returntype", Promise)
], LoginHistoryController.prototype, "getLoginStatistics", null);
__decorate([
    Delete('login-history/:id'),
    Protected({ errors: ['not_found'] }),
    Operation({
        summary: 'End one of one’s own sessions',
        description: 'At once, on every instance.',
        message: 'Session ended',
    }),
    __param(0, CurrentPrincipal()),
    __param(1, Param()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object, IdParamDto]),
    __metadata("design:returntype", Promise)
], LoginHistoryController.prototype, "endSession", null);
__decorate([
    Get('users/:id/login-history'),
    AdminOnly(),
    Operation({ summary: 'List the sessions of an account', message: 'Login history', page: LoginHistoryDto }),
    __param(0, Param()),
    __param(1, Query()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [IdParamDto,
        PageQueryDto]),
    __metadata("design:returntype", Promise)
], LoginHistoryController.prototype, "listUserLoginHistory", null);
LoginHistoryController = __decorate([
    ApiTags('Login history'),
    Controller('api'),
    __metadata("design:paramtypes", [LoginHistoryRepository,
        Sessions])
], LoginHistoryController);
export { LoginHistoryController };
//# sourceMappingURL=login-history.controller.js.map