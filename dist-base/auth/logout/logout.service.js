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
import { Sessions } from '../../login-history/index.js';
import { Authenticator, SecurityEvents } from '../../security/index.js';
import { SessionProof } from './session-proof.js';
let LogoutService = class LogoutService {
    proof;
    sessions;
    authenticator;
    events;
    constructor(proof, sessions, authenticator, events) {
        this.proof = proof;
        this.sessions = sessions;
        this.authenticator = authenticator;
        this.events = events;
    }
    /** @throws ApiError `token_invalid` when the refresh token is not the session's own */
    async logout(principal, refreshToken, isForAllSessions) {
        this.proof.assertSameSession(principal, refreshToken);
        if (isForAllSessions)
            await this.sessions.endAll(principal.userId, 'logged_out');
        else
            await this.sessions.end(principal.sessionId, 'logged_out');
        await this.authenticator.forgetAccount(principal.userId);
        const { userId, sessionId } = principal;
        const detail = isForAllSessions ? 'all sessions' : undefined;
        this.events.record({ kind: 'authn_logout', outcome: 'success', userId, sessionId, detail });
    }
};
LogoutService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [SessionProof,
        Sessions,
        Authenticator,
        SecurityEvents])
], LogoutService);
export { LogoutService };
//# sourceMappingURL=logout.service.js.map