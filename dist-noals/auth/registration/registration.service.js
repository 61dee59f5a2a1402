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
import { Transactions } from '../../infrastructure/database/index.js';
import { NewPasswords, OneTimeSecrets, SecurityEvents } from '../../security/index.js';
import { AccountsRepository } from '../../users/index.js';
import { OtpMails } from '../email-verification/otp-mails.js';
let RegistrationService = class RegistrationService {
    accounts;
    secrets;
    otpMails;
    newPasswords;
    transactions;
    events;
    clock;
    constructor(accounts, secrets, otpMails, newPasswords, transactions, events, clock) {
        this.accounts = accounts;
        this.secrets = secrets;
        this.otpMails = otpMails;
        this.newPasswords = newPasswords;
        this.transactions = transactions;
        this.events = events;
        this.clock = clock;
    }
    /** @throws ApiError `validation_failed` when username or e-mail is taken, or the password is refused */
    async register(dto) {
        // Hashed before the transaction: one that waits for bcrypt would hold up others.
        const passwordHash = await this.newPasswords.hash(dto.password, { ownWords: [dto.email, dto.username] });
        const otp = await this.secrets.prepareOtp();
        return this.transactions.run(async () => {
            const squatter = await this.makeRoomFor(dto.email);
            const account = await this.accounts.create({
                lastName: dto.last_name,
                firstName: dto.first_name,
                username: dto.username,
                email: dto.email,
                passwordHash,
            });
            if (squatter)
                await this.secrets.handOver(squatter.userId, account.userId);
            if (await this.secrets.issueOtpInTransaction(account.userId, otp))
                await this.otpMails.post(account.email, otp);
            await this.events.recordWith({ kind: 'user_created', outcome: 'success', userId: account.userId });
            return account;
        });
    }
    /** Nobody can squat on an address: an account that was not confirmed in time gives way to the next one. */
    async makeRoomFor(email) {
        const squatter = await this.accounts.findByEmail(email);
        const cutoff = new Date(this.clock.nowMs() - this.secrets.otpTtlMs);
        if (!squatter || squatter.confirmedAt || squatter.createdAt > cutoff)
            return null;
        await this.accounts.deleteUnconfirmed(squatter.userId);
        return squatter;
    }
};
RegistrationService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountsRepository,
        OneTimeSecrets,
        OtpMails,
        NewPasswords,
        Transactions,
        SecurityEvents,
        Clock])
], RegistrationService);
export { RegistrationService };
//# sourceMappingURL=registration.service.js.map