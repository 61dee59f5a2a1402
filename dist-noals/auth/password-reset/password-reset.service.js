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
import { AccountBackoff, NewPasswords, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { AccountsRepository, isActive } from '../../users/index.js';
import { ResetMails } from './reset-mails.js';
let PasswordResetService = class PasswordResetService {
    accounts;
    secrets;
    newPasswords;
    sessions;
    mails;
    backoff;
    events;
    constructor(accounts, secrets, newPasswords, sessions, mails, backoff, events) {
        this.accounts = accounts;
        this.secrets = secrets;
        this.newPasswords = newPasswords;
        this.sessions = sessions;
        this.mails = mails;
        this.backoff = backoff;
        this.events = events;
    }
    /**
     * Replaces the password and ends every session. Token, password and sessions change in one transaction: of parallel
     * resets with one token, one wins, and only its password logs in.
     * @throws ApiError `invalid_reset_token`, or `validation_failed` when the password is refused; then the token lives on
     */
    async reset(token, password) {
        const found = await this.secrets.matchResetToken(token);
        const account = found && (await this.accounts.findById(found.subject));
        if (!found || !account || !isActive(account))
            throw this.refusal();
        const { userId, email } = account;
        const passwordHash = await this.hash(password, account);
        await this.sessions.endAllWith(userId, 'password_changed', async () => {
            if (!(await this.secrets.consume(found)))
                throw this.refusal();
            const credentialVersion = await this.accounts.replacePassword(userId, passwordHash);
            await this.mails.postChanged(email);
            await this.events.recordWith({ kind: 'authn_password_change', outcome: 'success', userId });
            return credentialVersion;
        });
        // Whoever owns the mailbox is let in at once, however many have guessed at the account.
        await this.backoff.clear({ userId });
    }
    /** After its-not-me somebody else may know the old password: it is not accepted again. */
    async hash(password, account) {
        return this.newPasswords.hash(password, {
            ownWords: [account.email, account.username],
            refusedHash: account.isPasswordResetRequired ? account.passwordHash : undefined,
        });
    }
    refusal() {
        this.events.record({ kind: 'authn_password_reset_failed', outcome: 'failure' });
        return new ApiError('invalid_reset_token');
    }
};
PasswordResetService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountsRepository,
        OneTimeSecrets,
        NewPasswords,
        Sessions,
        ResetMails,
        AccountBackoff,
        SecurityEvents])
], PasswordResetService);
export { PasswordResetService };
//# sourceMappingURL=password-reset.service.js.map