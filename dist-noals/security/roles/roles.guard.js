var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '../../common/errors/index.js';
import { accessOf } from '../access-of.js';
import { AccountReader } from '../authentication/account-reader.js';
/** Authorises by role. It reads storage and not the cached record: a role that was taken away is gone at once (ASVS 8.3.2). */
let RolesGuard = class RolesGuard {
    reflector;
    accounts;
    constructor(reflector, accounts) {
        this.reflector = reflector;
        this.accounts = accounts;
    }
    async canActivate(context) {
        const { role } = accessOf(this.reflector, context);
        if (!role)
            return true;
        const { user } = context.switchToHttp().getRequest();
        const account = await this.accounts.readAccess(user.userId);
        if (account?.record.auth.role !== role)
            throw new ApiError('role_required');
        return true;
    }
};
RolesGuard = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Reflector,
        AccountReader])
], RolesGuard);
export { RolesGuard };
//# sourceMappingURL=roles.guard.js.map