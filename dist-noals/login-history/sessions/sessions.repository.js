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
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { SessionReader } from '../../security/index.js';
import { EndedSession } from './ended-session.schema.js';
import { LoginHistory } from './login-history.schema.js';
/** The form in which tokens are stored. */
export function tokenDigest(token) {
    return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}
/** Sessions in storage. Fulfils the guards' port SessionReader. */
let SessionsRepository = class SessionsRepository extends SessionReader {
    entries;
    ended;
    clock;
    endedRetentionMs;
    constructor(entries, ended, clock, config) {
        super();
        this.entries = entries;
        this.ended = ended;
        this.clock = clock;
        this.endedRetentionMs = Math.max(config.tokens.refreshTtlMs, config.tokens.accessTtlMs);
    }
    nextId() {
        return new Types.ObjectId().toHexString();
    }
    async insert(session) {
        await this.entries.create({
            _id: new Types.ObjectId(session.sessionId),
            auth: new Types.ObjectId(session.authId),
            user: new Types.ObjectId(session.userId),
            ip: session.ip,
            token: tokenDigest(session.accessToken),
            refresh_token: tokenDigest(session.refreshToken),
            login_at: session.loggedInAt,
            devices: session.device,
            locations: session.location,
            user_agent: session.userAgent,
            generation: 0,
            rotated_at: session.loggedInAt,
            credential_version: session.credentialVersion,
        });
    }
    async readSession(sessionId) {
        const entry = await this.entries
            .findById(sessionId, { user: 1, credential_version: 1 })
            .lean();
        if (entry)
            return { userId: entry.user.toHexString(), credentialVersion: entry.credential_version };
        return { ended: await this.endOf(sessionId) };
    }
    async findGeneration(sessionId) {
        const entry = await this.entries.findById(sessionId).lean();
        return entry && toGeneration(entry);
    }
    /** Why a session is no more. */
    async endOf(sessionId) {
        const ended = await this.ended.findById(sessionId).lean();
        return ended?.reason ?? 'session_revoked';
    }
    /**
     * Moves a session to its next generation, if it is still in the given one: of any number of parallel refreshes
     * exactly one gets a session back, the others null.
     */
    async rotateIfCurrent(sessionId, userId, generation, rotatedAt, tokens) {
        const entry = await this.entries
            .findOneAndUpdate({ _id: new Types.ObjectId(sessionId), user: new Types.ObjectId(userId), generation }, {
            $set: {
                generation: generation + 1,
                rotated_at: rotatedAt,
                token: tokenDigest(tokens.accessToken),
                refresh_token: tokenDigest(tokens.refreshToken),
            },
        }, { returnDocument: 'after' })
            .lean();
        return entry && toGeneration(entry);
    }
    /** Lets a session go on after a change of the credential that it knows of. */
    async renewCredential(sessionId, credentialVersion) {
        await this.entries.updateOne({ _id: new Types.ObjectId(sessionId) }, { $set: { credential_version: credentialVersion } });
    }
    /** @returns whether it was this call that ended it */
    async delete(sessionId, reason) {
        // The reason first: between the two writes the session still lives, instead of having ended for no reason.
        await this.rememberEnds([new Types.ObjectId(sessionId)], reason);
        const result = await this.entries.deleteOne({ _id: new Types.ObjectId(sessionId) });
        return result.deletedCount === 1;
    }
    /** @returns the ids of the sessions that were ended */
    async deleteAll(userId, reason) {
        return this.deleteWhere({ user: new Types.ObjectId(userId) }, reason);
    }
    /** Ends the sessions that were opened with an older credential. @returns their ids */
    async deleteOutdated(userId, credentialVersion, reason) {
        const credential_version = { $lt: credentialVersion };
        return this.deleteWhere({ user: new Types.ObjectId(userId), credential_version }, reason);
    }
    async deleteWhere(filter, reason) {
        const found = await this.entries.find(filter, { _id: 1 }).lean();
        const ids = found.map(({ _id }) => _id);
        await this.rememberEnds(ids, reason);
        await this.entries.deleteMany({ _id: { $in: ids } });
        return ids.map((id) => id.toHexString());
    }
    async rememberEnds(ids, reason) {
        if (ids.length === 0)
            return;
        const purge_at = new Date(this.clock.nowMs() + this.endedRetentionMs);
        await this.ended.bulkWrite(ids.map((_id) => ({
            updateOne: { filter: { _id }, update: { $setOnInsert: { reason, purge_at } }, upsert: true },
        })));
    }
};
SessionsRepository = __decorate([
    Injectable(),
    __param(0, InjectModel(LoginHistory.name)),
    __param(1, InjectModel(EndedSession.name)),
    __metadata("design:paramtypes", [Function, Function, Clock,
        Config])
], SessionsRepository);
export { SessionsRepository };
function toGeneration(entry) {
    return {
        userId: entry.user.toHexString(),
        generation: entry.generation,
        rotatedAt: entry.rotated_at,
        loggedInAt: entry.login_at,
        credentialVersion: entry.credential_version,
    };
}
//# sourceMappingURL=sessions.repository.js.map