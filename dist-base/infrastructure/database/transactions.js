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
import { InjectConnection } from '@nestjs/mongoose';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
/** The driver would repeat a transaction for two minutes; whoever asked for it has long been answered with a 503. */
const REPEAT_FOR_MS = 4_000;
/** All or nothing over several documents. */
let Transactions = class Transactions {
    connection;
    clock;
    constructor(connection, clock) {
        this.connection = connection;
        this.clock = clock;
    }
    /**
     * Runs the work in one transaction: every model call in it joins by itself. After a write conflict the work runs
     * again from the start, so it must do nothing outside the database.
     * @throws ApiError `service_unavailable` when conflicts or a failing database leave it no chance for 4 s
     */
    async run(work) {
        const lastStartMs = this.clock.nowMs() + REPEAT_FOR_MS;
        return this.connection.transaction(async () => {
            if (this.clock.nowMs() > lastStartMs)
                throw new ApiError('service_unavailable', { retryAfterSeconds: 5 });
            return work();
        });
    }
};
Transactions = __decorate([
    Injectable(),
    __param(0, InjectConnection()),
    __metadata("design:paramtypes", [Function, Clock])
], Transactions);
export { Transactions };
//# sourceMappingURL=transactions.js.map