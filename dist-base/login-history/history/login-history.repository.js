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
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { findPage } from '../../infrastructure/database/index.js';
import { LoginHistory } from '../sessions/login-history.schema.js';
/** Reads the history; what changes it is the sessions' own. */
let LoginHistoryRepository = class LoginHistoryRepository {
    entries;
    constructor(entries) {
        this.entries = entries;
    }
    /** Newest first. */
    async list(userId, query) {
        return findPage(this.entries, { user: new Types.ObjectId(userId) }, { login_at: -1, _id: -1 }, query);
    }
    async belongsTo(sessionId, userId) {
        const filter = { _id: new Types.ObjectId(sessionId), user: new Types.ObjectId(userId) };
        return (await this.entries.exists(filter)) !== null;
    }
    async statistics(userId) {
        const user = new Types.ObjectId(userId);
        const [counted] = await this.entries.aggregate([
            { $match: { user } },
            {
                $group: {
                    _id: null,
                    total: { $sum: 1 },
                    ips: { $addToSet: '$ip' },
                    devices: { $addToSet: { browser: '$devices.browser.name', os: '$devices.os.name' } },
                    last: { $max: '$login_at' },
                },
            },
        ]);
        return {
            total_logins: counted?.total ?? 0,
            unique_ips: counted?.ips.length ?? 0,
            unique_devices: counted?.devices.length ?? 0,
            last_login: counted?.last.toISOString() ?? null,
        };
    }
};
LoginHistoryRepository = __decorate([
    Injectable(),
    __param(0, InjectModel(LoginHistory.name)),
    __metadata("design:paramtypes", [Function])
], LoginHistoryRepository);
export { LoginHistoryRepository };
//# sourceMappingURL=login-history.repository.js.map