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
import { OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { AccountsRepository, isActive } from '../../users/index.js';
import { ResetMails } from './reset-mails.js';
let ForgotPasswordService = class ForgotPasswordService {
    accounts;
    secrets;
    mails;
    events;
    constructor(accounts, secrets, mails, events) {
        this.accounts = accounts;
        this.secrets = secrets;
        this.mails = mails;
        this.events = events;
    }
    /**
     * Mails a reset token. The account itself is unchanged, and the answer is alike for every address: for one without
     * an account, token and mail are decoys.
     */
    async request(email) {
        const found = await this.accounts.findByEmail(email);
        const account = found && isActive(found) ? found : null;
        this.events.record({ kind: 'authn_password_reset_requested', outcome: 'success', userId: account?.userId });
        const token = this.secrets.prepareResetToken();
        const subject = account?.userId ?? this.secrets.decoySubject(email);
        if (!(await this.secrets.issueResetTokenWithinQuota(subject, token)))
            return;
        await this.mails.postLink(account?.email ?? email, token, { isDecoy: account === null });
    }
};
ForgotPasswordService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountsRepository,
        OneTimeSecrets,
        ResetMails,
        SecurityEvents])
], ForgotPasswordService);
export { ForgotPasswordService };
//# sourceMappingURL=forgot-password.service.js.map