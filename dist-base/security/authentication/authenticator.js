var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { RecordCache } from '../../infrastructure/cache/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { accountDatesKey, readAccountDates } from './account-dates.js';
import { AccountReader } from './account-reader.js';
import { AUTH_RECORD_TTL_MS, authRecordKey, readAuthRecord } from './auth-record.js';
import { SessionReader } from './session-reader.js';
import { LIVE_SESSION_TTL_MS, readSessionState, sessionKey } from './session-state.js';
/**
 * Decides whether a verified token still stands for somebody, and keeps the cache that makes it cheap. All writing
 * of `user:*` and `session:*` goes through here.
 */
let Authenticator = class Authenticator {
    cache;
    accounts;
    sessions;
    endedSessionTtlMs;
    constructor(cache, accounts, sessions, config) {
        this.cache = cache;
        this.accounts = accounts;
        this.sessions = sessions;
        this.endedSessionTtlMs = config.tokens.accessTtlMs;
    }
    /** @throws ApiError 401 with the reason for which the session ended */
    async authenticate({ id: userId, sid: sessionId }) {
        const keys = [sessionKey(sessionId), authRecordKey(userId), accountDatesKey(userId)];
        const [cachedSession, cachedRecord, cachedDates] = await this.cache.getMany(keys);
        const session = readSessionState(cachedSession);
        if (session && 'ended' in session)
            throw new ApiError(session.ended);
        const record = readAuthRecord(cachedRecord, userId);
        const dates = readAccountDates(cachedDates);
        if (record && dates && session?.user === userId)
            return { userId, sessionId, record, dates };
        return this.authenticateFromStorage(userId, sessionId);
    }
    async authenticateFromStorage(userId, sessionId) {
        const [accountTickets, sessionTicket] = await Promise.all([
            this.startAccountFill(userId),
            this.cache.startFill(sessionKey(sessionId)),
        ]);
        const [session, account] = await Promise.all([
            this.sessions.readSession(sessionId),
            this.accounts.readAccess(userId),
        ]);
        if ('ended' in session)
            throw new ApiError(session.ended);
        if (!account || session.userId !== userId)
            throw new ApiError('session_revoked');
        if (!account.isActive)
            throw new ApiError('account_disabled');
        // A crash between a password change and the end of its sessions must not let the old ones live.
        if (session.credentialVersion !== account.credentialVersion)
            throw new ApiError('password_changed');
        const { record, dates } = account;
        await Promise.all([
            this.fillAccount(accountTickets, account),
            this.cache.fill(sessionTicket, { user: userId }, LIVE_SESSION_TTL_MS),
        ]);
        return { userId, sessionId, record, dates };
    }
    /** Caches the account of a user who has just logged in, as read within this request. */
    async remember(userId, load) {
        const tickets = await this.startAccountFill(userId);
        const facts = await load();
        await this.fillAccount(tickets, facts);
        return facts.record;
    }
    startAccountFill(userId) {
        return Promise.all([this.cache.startFill(authRecordKey(userId)), this.cache.startFill(accountDatesKey(userId))]);
    }
    async fillAccount([ofRecord, ofDates], facts) {
        await Promise.all([
            this.cache.fill(ofRecord, facts.record, AUTH_RECORD_TTL_MS),
            this.cache.fill(ofDates, facts.dates, AUTH_RECORD_TTL_MS),
        ]);
    }
    /** To be called after the account record was changed in storage, and before the change is answered. */
    async forgetAccount(userId) {
        await Promise.all([authRecordKey(userId), accountDatesKey(userId)].map((key) => this.cache.invalidate(key)));
    }
    /** To be called after sessions were ended in storage, and before that is answered. */
    async forgetSessions(sessionIds, reason) {
        await Promise.all(sessionIds.map((id) => this.cache.put(sessionKey(id), { ended: reason }, this.endedSessionTtlMs)));
    }
};
Authenticator = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [RecordCache,
        AccountReader,
        SessionReader,
        Config])
], Authenticator);
export { Authenticator };
//# sourceMappingURL=authenticator.js.map