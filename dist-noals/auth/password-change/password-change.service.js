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
import { Sessions } from '../../login-history/index.js';
import { AccountBackoff, NewPasswords, PasswordHasher, SecurityEvents } from '../../security/index.js';
import { AccountsRepository } from '../../users/index.js';
import { ResetMails } from '../password-reset/reset-mails.js';
let PasswordChangeService = class PasswordChangeService {
    accounts;
    hasher;
    newPasswords;
    backoff;
    sessions;
    mails;
    events;
    constructor(accounts, hasher, newPasswords, backoff, sessions, mails, events) {
        this.accounts = accounts;
        this.hasher = hasher;
        this.newPasswords = newPasswords;
        this.backoff = backoff;
        this.sessions = sessions;
        this.mails = mails;
        this.events = events;
    }
    /**
     * Replaces the password of somebody who knows the current one, and ends the account's other sessions.
     * @throws ApiError `validation_failed` for the field at fault, `too_many_requests` after many wrong guesses in a row
     */
    async change({ userId, sessionId }, dto) {
        const account = await this.accounts.findById(userId);
        if (!account)
            throw new ApiError('session_revoked');
        await this.assertCurrent(userId, dto.current_password, account.passwordHash);
        const passwordHash = await this.newPasswords.hash(dto.password, { ownWords: [account.email, account.username] });
        await this.sessions.endOthersWith(userId, sessionId, 'password_changed', async () => {
            const credentialVersion = await this.accounts.replacePassword(userId, passwordHash);
            await this.mails.postChanged(account.email);
            await this.events.recordWith({ kind: 'authn_password_change', outcome: 'success', userId, sessionId });
            return credentialVersion;
        });
    }
    /** Whoever holds a stolen session must not be able to try passwords here that login would hold back. */
    async assertCurrent(userId, password, passwordHash) {
        const waitMs = await this.backoff.reserveAttempt({ userId });
        if (waitMs > 0)
            throw new ApiError('too_many_requests', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
        if (!(await this.hasher.verify(password, passwordHash))) {
            this.events.record({ kind: 'authn_login_fail', outcome: 'failure', userId, detail: 'password change' });
            throw ApiError.invalidField('current_password', 'current_password is wrong');
        }
        await this.backoff.clear({ userId });
    }
};
PasswordChangeService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountsRepository,
        PasswordHasher,
        NewPasswords,
        AccountBackoff,
        Sessions,
        ResetMails,
        SecurityEvents])
], PasswordChangeService);
export { PasswordChangeService };
//# sourceMappingURL=password-change.service.js.map