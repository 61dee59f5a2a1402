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
import { duplicateKeyField } from '../../infrastructure/database/index.js';
import { OneTimeSecret } from './one-time-secret.schema.js';
export const MAX_TRIES = 5;
const MIN_PAUSE_MS = 60_000;
const QUOTA = 5;
const QUOTA_WINDOW_MS = 3_600_000;
let OneTimeSecretsRepository = class OneTimeSecretsRepository {
    model;
    clock;
    constructor(model, clock) {
        this.model = model;
        this.clock = clock;
    }
    /** Puts a new secret in the place of the subject's old one, whatever the quota says. */
    async replace(subject, purpose, hash, ttlMs) {
        await this.model.updateOne({ subject: new Types.ObjectId(subject), purpose }, this.issuing(hash, ttlMs), {
            upsert: true,
        });
    }
    /**
     * The same within the quota: at least 60 s since the last issue, at most 5 issues an hour.
     * One conditional upsert decides: when the quota forbids, the filter misses the document, the upsert tries to insert a
     * second one, and the unique index refuses it.
     * @returns whether it was issued
     */
    async replaceWithinQuota(subject, purpose, hash, ttlMs) {
        try {
            await this.model.updateOne({ subject: new Types.ObjectId(subject), purpose, ...this.withinQuota() }, this.issuing(hash, ttlMs), { upsert: true });
            return true;
        }
        catch (error) {
            if (duplicateKeyField(error))
                return false;
            throw error;
        }
    }
    /**
     * The same for use in a transaction, which a refusal by the unique index would end.
     * @returns whether it was issued
     */
    async replaceInTransaction(subject, purpose, hash, ttlMs) {
        const key = { subject: new Types.ObjectId(subject), purpose };
        const renewed = await this.model.updateOne({ ...key, ...this.withinQuota() }, this.issuing(hash, ttlMs));
        if (renewed.matchedCount === 1)
            return true;
        if ((await this.model.exists(key)) !== null)
            return false;
        await this.replace(subject, purpose, hash, ttlMs);
        return true;
    }
    /** Hands a subject's secrets to another, with their history, so that a quota cannot be begun anew; none is usable. */
    async handOver(from, to) {
        await this.model.updateMany({ subject: new Types.ObjectId(from) }, { $set: { subject: new Types.ObjectId(to), hash: null } });
    }
    /**
     * Takes one of the secret's tries before anything is compared, so that parallel guesses cannot share one.
     * @returns null when there is no live secret, or no try left
     */
    async reserveTry(subject, purpose) {
        const found = await this.model.findOneAndUpdate({
            subject: new Types.ObjectId(subject),
            purpose,
            hash: { $ne: null },
            tries_left: { $gt: 0 },
            expires_at: { $gt: this.clock.now() },
        }, { $inc: { tries_left: -1 } });
        return found ? toFoundSecret(found) : null;
    }
    async findLiveByHash(purpose, hash) {
        const found = await this.model.findOne({ purpose, hash, expires_at: { $gt: this.clock.now() } });
        return found ? toFoundSecret(found) : null;
    }
    /** @returns true for exactly one of any number of callers */
    async consumeIfUnused({ id, hash }) {
        const result = await this.model.updateOne({ _id: new Types.ObjectId(id), hash, expires_at: { $gt: this.clock.now() } }, { $set: { hash: null } });
        return result.modifiedCount === 1;
    }
    withinQuota() {
        const nowMs = this.clock.nowMs();
        return {
            last_issued_at: { $lte: new Date(nowMs - MIN_PAUSE_MS) },
            $or: [
                { [`issued_at.${QUOTA - 1}`]: { $exists: false } },
                { 'issued_at.0': { $lte: new Date(nowMs - QUOTA_WINDOW_MS) } },
            ],
        };
    }
    issuing(hash, ttlMs) {
        const now = this.clock.now();
        return {
            $set: {
                hash,
                tries_left: MAX_TRIES,
                expires_at: new Date(now.getTime() + ttlMs),
                last_issued_at: now,
                purge_at: new Date(now.getTime() + Math.max(ttlMs, QUOTA_WINDOW_MS)),
            },
            $push: { issued_at: { $each: [now], $slice: -QUOTA } },
        };
    }
};
OneTimeSecretsRepository = __decorate([
    Injectable(),
    __param(0, InjectModel(OneTimeSecret.name)),
    __metadata("design:paramtypes", [Function, Clock])
], OneTimeSecretsRepository);
export { OneTimeSecretsRepository };
function toFoundSecret(document) {
    return { id: document._id.toHexString(), subject: document.subject.toHexString(), hash: document.hash ?? '' };
}
//# sourceMappingURL=one-time-secrets.repository.js.map