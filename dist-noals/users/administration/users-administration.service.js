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
import { Transactions } from '../../infrastructure/database/index.js';
import { Authenticator, SecurityEvents } from '../../security/index.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { AccountAnnouncements } from './account-announcements.js';
let UsersAdministrationService = class UsersAdministrationService {
    accounts;
    authenticator;
    announcements;
    events;
    transactions;
    clock;
    constructor(accounts, authenticator, announcements, events, transactions, clock) {
        this.accounts = accounts;
        this.authenticator = authenticator;
        this.announcements = announcements;
        this.events = events;
        this.transactions = transactions;
        this.clock = clock;
    }
    /** @throws ApiError `not_found` */
    async get(userId) {
        const account = await this.accounts.findById(userId);
        if (!account)
            throw new ApiError('not_found');
        return account;
    }
    /** @throws ApiError `not_found` */
    async change(userId, { role, status }) {
        const account = await this.get(userId);
        if (role !== undefined && role !== account.role)
            await this.changeRole(userId, role);
        const isDisabled = account.disabledAt !== null;
        if (status !== undefined && (status === 'inactive') !== isDisabled)
            await this.setInactive(userId, 'disabled', !isDisabled);
        return this.get(userId);
    }
    /** Soft: the account can be restored, and its names stay taken. @throws ApiError `not_found` */
    async delete(userId) {
        const { deletedAt } = await this.get(userId);
        if (!deletedAt)
            await this.setInactive(userId, 'deleted', true);
    }
    /** @throws ApiError `not_found` */
    async restore(userId) {
        const { deletedAt } = await this.get(userId);
        if (deletedAt)
            await this.setInactive(userId, 'deleted', false);
        return this.get(userId);
    }
    async changeRole(userId, role) {
        await this.accounts.setRole(userId, role);
        await this.authenticator.forgetAccount(userId);
        this.events.record({ kind: 'user_role_changed', outcome: 'success', userId, detail: String(role) });
    }
    async setInactive(userId, state, isInactive) {
        const since = isInactive ? this.clock.now() : null;
        await this.transactions.run(() => this.accounts.setInactive(userId, state, since));
        await this.authenticator.forgetAccount(userId);
        if (isInactive)
            await this.announcements.announceClosed(userId);
        const kind = state === 'disabled'
            ? isInactive
                ? 'user_disabled'
                : 'user_enabled'
            : isInactive
                ? 'user_deleted'
                : 'user_restored';
        this.events.record({ kind, outcome: 'success', userId });
    }
};
UsersAdministrationService = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountsRepository,
        Authenticator,
        AccountAnnouncements,
        SecurityEvents,
        Transactions,
        Clock])
], UsersAdministrationService);
export { UsersAdministrationService };
//# sourceMappingURL=users-administration.service.js.map