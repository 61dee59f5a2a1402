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
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public, TOKEN_ERRORS } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { TokensDto } from '../login/tokens.dto.js';
import { RefreshTokenDto } from './token-refresh.dto.js';
import { TokenRefreshService } from './token-refresh.service.js';
let TokenRefreshController = class TokenRefreshController {
    tokenRefresh;
    constructor(tokenRefresh) {
        this.tokenRefresh = tokenRefresh;
    }
    async refreshToken({ refresh_token }) {
        return this.tokenRefresh.refresh(refresh_token);
    }
};
__decorate([
    Post('refresh-token'),
    Public({ limit: 'auth', errors: TOKEN_ERRORS }),
    Operation({
        summary: 'Get the next pair of tokens',
        description: 'Each refresh token works once. Sent again within ten seconds of its replacement (parallel tabs, a lost answer) it yields the same successor; later, its session ends with `refresh_token_reused`. A session lives at most 30 days.',
        message: 'Token refreshed successfully',
        data: TokensDto,
    }),
    __param(0, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [RefreshTokenDto]),
    __metadata("design:returntype", Promise)
], TokenRefreshController.prototype, "refreshToken", null);
TokenRefreshController = __decorate([
    ApiTags('Sessions'),
    Controller('auth'),
    __metadata("design:paramtypes", [TokenRefreshService])
], TokenRefreshController);
export { TokenRefreshController };
//# sourceMappingURL=token-refresh.controller.js.map