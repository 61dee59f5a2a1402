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
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { Sessions, SessionsRepository } from '../../login-history/index.js';
import { AccessTokens, RefreshTokens, SecurityEvents } from '../../security/index.js';
import { AccountsRepository, isActive } from '../../users/index.js';
/**
 * Refresh by one counter per session (RFC 9700 section 4.14.2). The token names its generation. The current one rotates the
 * session; the one just replaced gets, for a few seconds, the same successor again, so that parallel tabs and lost
 * answers log nobody out; any older one is a stolen token in somebody's hands, and ends the session.
 */
let TokenRefreshService = class TokenRefreshService {
    accessTokens;
    refreshTokens;
    repository;
    sessions;
    accounts;
    events;
    config;
    clock;
    constructor(accessTokens, refreshTokens, repository, sessions, accounts, events, config, clock) {
        this.accessTokens = accessTokens;
        this.refreshTokens = refreshTokens;
        this.repository = repository;
        this.sessions = sessions;
        this.accounts = accounts;
        this.events = events;
        this.config = config;
        this.clock = clock;
    }
    /** @throws ApiError 401 with the reason for which the session or the token is no more */
    async refresh(refreshToken) {
        const claims = this.refreshTokens.verify(refreshToken);
        const session = await this.findSession(claims);
        if (claims.gen === session.generation) {
            const rotated = await this.rotate(claims, session);
            if (rotated)
                return rotated;
            // Another request rotated the session in between; this token is the replaced one now.
            return this.answerReplaced(claims, await this.findSession(claims));
        }
        return this.answerReplaced(claims, session);
    }
    async findSession({ sid, id }) {
        const session = await this.repository.findGeneration(sid);
        if (!session)
            throw new ApiError(await this.repository.endOf(sid));
        if (session.userId !== id)
            throw new ApiError('token_invalid');
        const account = await this.accounts.findById(id);
        if (!account || !isActive(account))
            throw new ApiError('account_disabled');
        if (account.credentialVersion !== session.credentialVersion)
            throw new ApiError('password_changed');
        return session;
    }
    async rotate({ id, sid, gen }, { loggedInAt }) {
        const rotatedAt = this.clock.now();
        const tokens = this.issue(id, sid, gen + 1, rotatedAt, loggedInAt);
        const rotated = await this.repository.rotateIfCurrent(sid, id, gen, rotatedAt, {
            accessToken: tokens.token,
            refreshToken: tokens.refresh_token,
        });
        return rotated && tokens;
    }
    async answerReplaced({ id, sid, gen }, session) {
        const { generation, rotatedAt, loggedInAt } = session;
        if (gen > generation)
            throw new ApiError('token_invalid');
        const isJustReplaced = generation === gen + 1 && this.clock.nowMs() - rotatedAt.getTime() <= this.config.tokens.refreshGraceMs;
        if (isJustReplaced)
            return this.issue(id, sid, generation, rotatedAt, loggedInAt);
        this.events.record({ kind: 'authn_token_reuse', outcome: 'failure', userId: id, sessionId: sid });
        await this.sessions.end(sid, 'refresh_token_reused');
        throw new ApiError('refresh_token_reused');
    }
    issue(userId, sessionId, generation, rotatedAt, loggedInAt) {
        return {
            token: this.accessTokens.issue(userId, sessionId),
            refresh_token: this.refreshTokens.issue({ userId, sessionId, generation, rotatedAt, loggedInAt }),
            expires_in: this.accessTokens.ttlSeconds,
        };
    }
};
TokenRefreshService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccessTokens,
        RefreshTokens,
        SessionsRepository,
        Sessions,
        AccountsRepository,
        SecurityEvents,
        Config,
        Clock])
], TokenRefreshService);
export { TokenRefreshService };
//# sourceMappingURL=token-refresh.service.js.map