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
import { RefreshTokenDto } from '../token-refresh/token-refresh.dto.js';
import { ItsNotMeService } from './its-not-me.service.js';
let ItsNotMeController = class ItsNotMeController {
    notMe;
    constructor(notMe) {
        this.notMe = notMe;
    }
    async itsNotMe(principal, { refresh_token }) {
        await this.notMe.lockDown(principal, refresh_token);
    }
};
__decorate([
    Post('its-not-me'),
    Authenticated({ limit: 'auth' }),
    Operation({
        summary: 'Report a login that was not yours',
        description: 'Ends every session on every instance before it answers, refuses the old password from then on (`password_reset_required`) and mails a reset link.',
        message: 'All sessions have been terminated. Please check your email to reset your password.',
    }),
    __param(0, CurrentPrincipal()),
    __param(1, Body()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [Object, RefreshTokenDto]),
    __metadata("design:returntype", Promise)
], ItsNotMeController.prototype, "itsNotMe", null);
ItsNotMeController = __decorate([
    ApiTags('Recovery'),
    Controller('auth'),
    __metadata("design:paramtypes", [ItsNotMeService])
], ItsNotMeController);
export { ItsNotMeController };
//# sourceMappingURL=its-not-me.controller.js.map