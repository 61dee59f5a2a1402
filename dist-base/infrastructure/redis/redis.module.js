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
import { Inject, Injectable, Module, Optional } from '@nestjs/common';
import { Config } from '../config/index.js';
import { RedisConnection } from './redis-connection.js';
/** Injection token of the {@link RedisConnection}, or of null where `REDIS_URL` is not set. */
export const REDIS = Symbol('REDIS');
let RedisShutdown = class RedisShutdown {
    redis;
    constructor(redis) {
        this.redis = redis;
    }
    async onApplicationShutdown() {
        await this.redis?.close();
    }
};
RedisShutdown = __decorate([
    Injectable(),
    __param(0, Optional()),
    __param(0, Inject(REDIS)),
    __metadata("design:paramtypes", [Object])
], RedisShutdown);
/** Owns the one Redis client. Exports it under {@link REDIS}; whoever uses it has a fallback of its own. */
let RedisModule = class RedisModule {
};
RedisModule = __decorate([
    Module({
        providers: [
            {
                provide: REDIS,
                inject: [Config],
                useFactory: ({ redis }) => (redis.url ? RedisConnection.open(redis.url, redis.keyPrefix) : null),
            },
            RedisShutdown,
        ],
        exports: [REDIS],
    })
], RedisModule);
export { RedisModule };
//# sourceMappingURL=redis.module.js.map