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
import { Transactions } from '../../infrastructure/database/index.js';
import { Authenticator, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { AccountsRepository, isActive } from '../../users/index.js';
import { OtpMails } from './otp-mails.js';
let EmailVerificationService = class EmailVerificationService {
    accounts;
    secrets;
    otpMails;
    authenticator;
    transactions;
    events;
    constructor(accounts, secrets, otpMails, authenticator, transactions, events) {
        this.accounts = accounts;
        this.secrets = secrets;
        this.otpMails = otpMails;
        this.authenticator = authenticator;
        this.transactions = transactions;
        this.events = events;
    }
    /** @throws ApiError `invalid_otp`, the same whatever was wrong */
    async verify(email, otp) {
        const account = await this.findUnconfirmed(email);
        const found = await this.secrets.matchOtp(account?.userId ?? null, otp);
        if (!account || !found)
            throw this.refusal(account);
        // Of parallel submissions of the right code, the one whose update finds it unused confirms the address.
        const isConfirmed = await this.transactions.run(async () => (await this.secrets.consume(found)) && (await this.accounts.confirmEmail(account.userId)));
        if (!isConfirmed)
            throw this.refusal(account);
        this.events.record({ kind: 'email_verified', outcome: 'success', userId: account.userId });
        await this.authenticator.forgetAccount(account.userId);
    }
    refusal(account) {
        this.events.record({ kind: 'email_verification_failed', outcome: 'failure', userId: account?.userId });
        return new ApiError('invalid_otp');
    }
    /** Alike for every address: for one that has nothing to confirm, the code and the mail are decoys. */
    async resend(email) {
        const account = await this.findUnconfirmed(email);
        const otp = await this.secrets.prepareOtp();
        const subject = account?.userId ?? this.secrets.decoySubject(email);
        if (!(await this.secrets.issueOtpWithinQuota(subject, otp)))
            return;
        await this.otpMails.post(account?.email ?? email, otp, { isDecoy: account === null });
    }
    async findUnconfirmed(email) {
        const account = await this.accounts.findByEmail(email);
        return account && !account.confirmedAt && isActive(account) ? account : null;
    }
};
EmailVerificationService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountsRepository,
        OneTimeSecrets,
        OtpMails,
        Authenticator,
        Transactions,
        SecurityEvents])
], EmailVerificationService);
export { EmailVerificationService };
//# sourceMappingURL=email-verification.service.js.map