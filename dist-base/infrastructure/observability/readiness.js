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
import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { REDIS } from '../redis/index.js';
import { ForwardingCheck } from './forwarding-check.js';
const DATABASE_DEADLINE_MS = 2_000;
/** Asks each dependency for a sign of life. */
let Readiness = class Readiness {
    connection;
    redis;
    forwarding;
    constructor(connection, redis, forwarding) {
        this.connection = connection;
        this.redis = redis;
        this.forwarding = forwarding;
    }
    async check() {
        const [hasDatabase, hasRedis] = await Promise.all([this.pingDatabase(), this.redis?.ping()]);
        return {
            status: !hasDatabase ? 'down' : hasRedis === false ? 'degraded' : 'ready',
            dependencies: {
                database: hasDatabase ? 'up' : 'down',
                redis: hasRedis === undefined ? 'not_configured' : hasRedis ? 'up' : 'down',
            },
            warnings: this.forwarding.isSuspicious ? ['untrusted_proxy'] : [],
        };
    }
    async pingDatabase() {
        let timer;
        const expired = new Promise((resolve) => {
            timer = setTimeout(() => resolve(false), DATABASE_DEADLINE_MS);
        });
        const ping = (async () => Boolean(await this.connection.db?.admin().ping()))().catch(() => false);
        try {
            return await Promise.race([ping, expired]);
        }
        finally {
            clearTimeout(timer);
        }
    }
};
Readiness = __decorate([
    Injectable(),
    __param(0, InjectConnection()),
    __param(1, Inject(REDIS)),
    __metadata("design:paramtypes", [Function, Object, ForwardingCheck])
], Readiness);
export { Readiness };
//# sourceMappingURL=readiness.js.map