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
import { Authenticator, PasswordHasher, SecurityEvents } from '../../security/index.js';
import { AccountsRepository, isActive, toAccountFacts, toUserDto } from '../../users/index.js';
import { LoginAdmission } from './login-admission.js';
import { SessionOpening } from './session-opening.js';
let LoginService = class LoginService {
    accounts;
    hasher;
    authenticator;
    sessionOpening;
    admission;
    events;
    constructor(accounts, hasher, authenticator, sessionOpening, admission, events) {
        this.accounts = accounts;
        this.hasher = hasher;
        this.authenticator = authenticator;
        this.sessionOpening = sessionOpening;
        this.admission = admission;
        this.events = events;
    }
    /**
     * @param login username or e-mail address
     * @throws ApiError `invalid_credentials`, the same for an unknown name, a wrong password and a disabled account;
     * `email_not_verified` and `password_reset_required` only after the right password; `too_many_login_attempts` after many failures in a row
     */
    async login(login, password, client) {
        const account = await this.accounts.findByLogin(login);
        await this.admission.admit(account, login, client);
        const isRightPassword = await this.hasher.verify(password, account?.passwordHash ?? null);
        if (!account || !isRightPassword || !isActive(account))
            throw this.refusal('invalid_credentials', account);
        await this.admission.succeeded(account);
        if (!account.confirmedAt)
            throw this.refusal('email_not_verified', account);
        if (account.isPasswordResetRequired)
            throw this.refusal('password_reset_required', account);
        const session = this.sessionOpening.issueTokens(account);
        const record = await this.authenticator.remember(account.userId, async () => toAccountFacts(await this.reread(account)));
        await this.sessionOpening.record(session, account, client);
        const { userId } = account;
        this.events.record({ kind: 'authn_login_success', outcome: 'success', userId, sessionId: session.sessionId });
        return { user: toUserDto(record), ...session.answer };
    }
    refusal(code, account) {
        this.events.record({ kind: 'authn_login_fail', outcome: 'failure', userId: account?.userId, detail: code });
        return new ApiError(code);
    }
    /** The password may have been changed while bcrypt was busy; then this login comes too late. */
    async reread({ userId, credentialVersion }) {
        const account = await this.accounts.findById(userId);
        if (!account || !isActive(account) || account.credentialVersion !== credentialVersion) {
            throw this.refusal('invalid_credentials', account);
        }
        return account;
    }
};
LoginService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountsRepository,
        PasswordHasher,
        Authenticator,
        SessionOpening,
        LoginAdmission,
        SecurityEvents])
], LoginService);
export { LoginService };
//# sourceMappingURL=login.service.js.map