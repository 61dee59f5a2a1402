var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { accessOf } from '../access-of.js';
/** Checks `x-api-key` where the route asks for it. With no key configured, such routes refuse everybody. */
let ApiKeyGuard = class ApiKeyGuard {
    reflector;
    config;
    constructor(reflector, config) {
        this.reflector = reflector;
        this.config = config;
    }
    canActivate(context) {
        if (!accessOf(this.reflector, context).apiKey)
            return true;
        const request = context.switchToHttp().getRequest();
        const given = request.headers['x-api-key'];
        const digest = createHash('sha256')
            .update(typeof given === 'string' ? given : '')
            .digest();
        // Every key is compared, in constant time: neither a key's place in the list nor its beginning can be measured.
        let isKnown = false;
        for (const key of this.config.apiKeys)
            isKnown = timingSafeEqual(key.digest, digest) || isKnown;
        if (!isKnown)
            throw new ApiError('invalid_api_key');
        return true;
    }
};
ApiKeyGuard = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Reflector,
        Config])
], ApiKeyGuard);
export { ApiKeyGuard };
//# sourceMappingURL=api-key.guard.js.map