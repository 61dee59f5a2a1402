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
import { OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { AccountsRepository } from '../../users/index.js';
import { SessionProof } from '../logout/session-proof.js';
import { ResetMails } from '../password-reset/reset-mails.js';
let ItsNotMeService = class ItsNotMeService {
    proof;
    accounts;
    secrets;
    sessions;
    mails;
    events;
    constructor(proof, accounts, secrets, sessions, mails, events) {
        this.proof = proof;
        this.accounts = accounts;
        this.secrets = secrets;
        this.sessions = sessions;
        this.mails = mails;
        this.events = events;
    }
    /**
     * Locks everything down in one transaction: every session ends, the password stops working, and the owner gets
     * the way back by mail. No quota holds this mail back.
     * @throws ApiError `token_invalid` when the refresh token is not the session's own
     */
    async lockDown(principal, refreshToken) {
        this.proof.assertSameSession(principal, refreshToken);
        const { userId, sessionId, record } = principal;
        const token = this.secrets.prepareResetToken();
        await this.sessions.endAllWith(userId, 'reported_not_me', async () => {
            await this.secrets.issueResetToken(userId, token);
            const credentialVersion = await this.accounts.requirePasswordReset(userId);
            await this.mails.postAlert(record.user.email, token);
            await this.events.recordWith({ kind: 'authn_lockdown', outcome: 'success', userId, sessionId });
            return credentialVersion;
        });
    }
};
ItsNotMeService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [SessionProof,
        AccountsRepository,
        OneTimeSecrets,
        Sessions,
        ResetMails,
        SecurityEvents])
], ItsNotMeService);
export { ItsNotMeService };
//# sourceMappingURL=its-not-me.service.js.map