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
import { Public } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { CurrentClient } from './client.decorator.js';
import { LoggedInDto, LoginDto } from './login.dto.js';
import { LoginService } from './login.service.js';
let LoginController = class LoginController {
    loginService;
    constructor(loginService) {
        this.loginService = loginService;
    }
    async login({ login, password }, client) {
        return this.loginService.login(login, password, client);
    }
};
__decorate([
    Post('login'),
    Public({ limit: 'auth', errors: ['invalid_credentials', 'email_not_verified', 'password_reset_required'] }),
    Operation({
        summary: 'Log in by username or e-mail',
        description: 'Opens a session and records it in the login history. An unknown name and a wrong password get the same answer in the same time.',
        message: 'Login successful',
        data: LoggedInDto,
    }),
    __param(0, Body()),
    __param(1, CurrentClient()),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [LoginDto, Object]),
    __metadata("design:returntype", Promise)
], LoginController.prototype, "login", null);
LoginController = __decorate([
    ApiTags('Sessions'),
    Controller('auth'),
    __metadata("design:paramtypes", [LoginService])
], LoginController);
export { LoginController };
//# sourceMappingURL=login.controller.js.map