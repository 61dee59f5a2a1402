var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import { currentRequest } from '../../common/http/index.js';
import { DatabaseServer } from '../../infrastructure/database/index.js';
import { SecurityEventsRepository } from './security-events.repository.js';
const FLUSH_MS = 250;
/** Under an attack that outruns the database the log still has every event; the collection may miss some. */
const MAX_WAITING = 5_000;
/**
 * The record of security events: each is a line of the log at once, and stored for 90 days for administrators to
 * read. Storing happens behind the answers, in batches, so that refusing costs an attacker's target no write.
 */
let SecurityEvents = class SecurityEvents {
    repository;
    clock;
    database;
    logger = new Logger('SecurityEvents');
    waiting = [];
    constructor(repository, clock, database) {
        this.repository = repository;
        this.clock = clock;
        this.database = database;
    }
    onApplicationBootstrap() {
        // One timer, begun here: begun by a request it would run in that request's context, and its transaction.
        const timer = setInterval(() => void this.flush(), FLUSH_MS);
        this.database.beforeClose(async () => {
            clearInterval(timer);
            await this.flush();
        });
    }
    /** Logs the event, and stores it within a moment. */
    record(event) {
        const entry = this.log(event);
        if (this.waiting.length < MAX_WAITING)
            this.waiting.push(entry);
    }
    /** Logs the event and stores it in the caller's transaction: it is there exactly if what it tells of is. */
    async recordWith(event) {
        await this.repository.insert([this.log(event)]);
    }
    async flush() {
        if (this.waiting.length === 0)
            return;
        const batch = this.waiting;
        this.waiting = [];
        await this.repository.insert(batch).catch((error) => {
            this.logger.warn(`${batch.length} security events could not be stored (${error.name}); they are in the log`);
        });
    }
    log({ kind, outcome, userId, sessionId, detail }) {
        const request = currentRequest();
        const entry = {
            kind,
            outcome,
            at: this.clock.now(),
            user: userId ? new Types.ObjectId(userId) : null,
            session: sessionId ?? null,
            ip: request?.ip ?? null,
            request_id: request?.requestId ?? null,
            detail: detail ?? null,
        };
        this.logger.log({ ...entry, event: kind, user: userId ?? null }, 'security event');
        return entry;
    }
};
SecurityEvents = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [SecurityEventsRepository,
        Clock,
        DatabaseServer])
], SecurityEvents);
export { SecurityEvents };
//# sourceMappingURL=security-events.js.map