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
import { Authenticated } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentPrincipal } from '../../security/index.js';
import { LogoutDto } from './logout.dto.js';
import { LogoutService } from './logout.service.js';
let LogoutController = class LogoutController {
    logoutService;
    constructor(logoutService) {
        this.logoutService = logoutService;
    }
    async logout(principal, dto) {
        await this.logoutService.logout(principal, dto.refresh_token, dto.all_sessions ?? false);
    }
};
__decorate([
    Post('logout'),
    Authenticated({ limit: 'auth' }),
    Operation({
        summary: 'Log out',
        description: 'Ends the session of the bearer at once; its access token and refresh token are refused from then on.',
        message: 'Logout successful',
    }),
    __param(0, CurrentPrincipal()),
    __param(1, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object, LogoutDto]),
    __metadata("design:returntype", Promise)
], LogoutController.prototype, "logout", null);
LogoutController = __decorate([
    ApiTags('Sessions'),
    Controller('auth'),
    __metadata("design:paramtypes", [LogoutService])
], LogoutController);
export { LogoutController };
//# sourceMappingURL=logout.controller.js.map