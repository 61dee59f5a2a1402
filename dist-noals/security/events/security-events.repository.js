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
import { SecurityEvent } from './security-event.schema.js';
let SecurityEventsRepository = class SecurityEventsRepository {
    model;
    constructor(model) {
        this.model = model;
    }
    async insert(entries) {
        await this.model.insertMany(entries, { ordered: false });
    }
    /** Newest first. */
    async list(query) {
        const filter = {
            ...(query.user ? { user: new Types.ObjectId(query.user) } : {}),
            ...(query.kind ? { kind: query.kind } : {}),
        };
        return findPage(this.model, filter, { at: -1, _id: -1 }, query);
    }
};
SecurityEventsRepository = __decorate([
    Injectable(),
    __param(0, InjectModel(SecurityEvent.name)),
    __metadata("design:paramtypes", [Function])
], SecurityEventsRepository);
export { SecurityEventsRepository };
//# sourceMappingURL=security-events.repository.js.map