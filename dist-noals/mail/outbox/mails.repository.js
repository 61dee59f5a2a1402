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
import { Clock } from '../../common/clock/index.js';
import { StoredMail } from './stored-mail.schema.js';
/** A worker that has not renewed its lease by then is taken for dead, and its mail is somebody else's. */
export const LEASE_MS = 15_000;
const KEPT_AFTER_END_MS = 7 * 86_400_000;
let MailsRepository = class MailsRepository {
    model;
    clock;
    constructor(model, clock) {
        this.model = model;
        this.clock = clock;
    }
    /** Stores a mail; one of the same kind to the same recipient that still waits is superseded, for its code is dead. */
    async insert({ kind, to, sealed, expiresAt, isDecoy }) {
        const now = this.clock.now();
        await this.model.updateMany({ to, kind, state: 'waiting' }, { $set: { state: 'superseded', sealed: null } });
        await this.model.create({
            kind,
            to,
            sealed,
            state: isDecoy ? 'decoy' : 'waiting',
            next_attempt_at: now,
            expires_at: expiresAt,
            created_at: now,
            purge_at: isDecoy ? expiresAt : new Date(expiresAt.getTime() + KEPT_AFTER_END_MS),
        });
    }
    /** Takes the next due mail for this worker alone, or one whose worker has died. */
    async leaseNext() {
        const now = this.clock.now();
        const mail = await this.model.findOneAndUpdate({
            expires_at: { $gt: now },
            $or: [
                { state: 'waiting', next_attempt_at: { $lte: now } },
                { state: 'sending', leased_until: { $lte: now } },
            ],
        }, { $set: { state: 'sending', leased_until: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } }, { sort: { next_attempt_at: 1 }, returnDocument: 'after' });
        if (!mail?.sealed)
            return null;
        return {
            id: mail._id.toHexString(),
            kind: mail.kind,
            to: mail.to,
            sealed: mail.sealed,
            attempts: mail.attempts,
            expiresAt: mail.expires_at,
        };
    }
    /** Mails that have not left, oldest first: of them the operator wants to know the reason. */
    async listUnsent(limit) {
        const mails = await this.model
            .find({ state: { $in: ['waiting', 'sending', 'failed', 'expired'] } })
            .sort({ created_at: 1 })
            .limit(limit)
            .lean();
        return mails.map(({ _id, kind, to, state, attempts, created_at, next_attempt_at, expires_at, last_error }) => ({
            id: _id.toHexString(),
            kind,
            to,
            state,
            attempts,
            created_at,
            next_attempt_at,
            expires_at,
            last_error: last_error ?? null,
        }));
    }
    async renewLease(id) {
        await this.model.updateOne({ _id: new Types.ObjectId(id), state: 'sending' }, { $set: { leased_until: new Date(this.clock.nowMs() + LEASE_MS) } });
    }
    async markSent(id) {
        await this.end(id, 'sent', { sent_at: this.clock.now() });
    }
    async markFailed(id, reason) {
        await this.end(id, 'failed', { last_error: reason });
    }
    async retryAt(id, next_attempt_at, reason) {
        await this.model.updateOne({ _id: new Types.ObjectId(id), state: 'sending' }, { $set: { state: 'waiting', next_attempt_at, last_error: reason }, $unset: { leased_until: 1 } });
    }
    /** @returns how many mails can no longer be of use, and are given up */
    async expireOutdated() {
        const result = await this.model.updateMany({ state: { $in: ['waiting', 'sending'] }, expires_at: { $lte: this.clock.now() } }, { $set: { state: 'expired', sealed: null } });
        return result.modifiedCount;
    }
    async end(id, state, more) {
        await this.model.updateOne({ _id: new Types.ObjectId(id) }, { $set: { state, sealed: null, ...more }, $unset: { leased_until: 1 } });
    }
};
MailsRepository = __decorate([
    Injectable(),
    __param(0, InjectModel(StoredMail.name)),
    __metadata("design:paramtypes", [Function, Clock])
], MailsRepository);
export { MailsRepository };
//# sourceMappingURL=mails.repository.js.map