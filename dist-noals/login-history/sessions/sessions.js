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
import { Transactions } from '../../infrastructure/database/index.js';
import { Authenticator } from '../../security/index.js';
import { SessionsRepository } from './sessions.repository.js';
/** Ends sessions, in storage and in every cache, before it returns. */
let Sessions = class Sessions {
    repository;
    authenticator;
    transactions;
    constructor(repository, authenticator, transactions) {
        this.repository = repository;
        this.authenticator = authenticator;
        this.transactions = transactions;
    }
    async end(sessionId, reason) {
        await this.transactions.run(() => this.repository.delete(sessionId, reason));
        await this.authenticator.forgetSessions([sessionId], reason);
    }
    /** @returns how many there were */
    async endAll(userId, reason) {
        const ended = await this.transactions.run(() => this.repository.deleteAll(userId, reason));
        await this.authenticator.forgetSessions(ended, reason);
        return ended.length;
    }
    /**
     * Runs a change of the credential and the end of all the account's sessions in one transaction, then clears the caches.
     * @param change does it, and yields the new credential version; when it throws, nothing has happened
     */
    async endAllWith(userId, reason, change) {
        await this.endWith(userId, null, reason, change);
    }
    /** The same for all but one session, which goes on with the new credential. */
    async endOthersWith(userId, keptId, reason, change) {
        await this.endWith(userId, keptId, reason, change);
    }
    async endWith(userId, keptId, reason, change) {
        const { version, ended } = await this.transactions.run(async () => {
            const version = await change();
            if (keptId)
                await this.repository.renewCredential(keptId, version);
            return { version, ended: await this.repository.deleteOutdated(userId, version, reason) };
        });
        // A login with the old password that was inserted beside the transaction was not seen by it. From the commit on no
        // guard accepts it from storage; this takes it out of the caches too.
        const stragglers = await this.repository.deleteOutdated(userId, version, reason);
        await this.authenticator.forgetAccount(userId);
        await this.authenticator.forgetSessions([...ended, ...stragglers], reason);
    }
};
Sessions = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [SessionsRepository,
        Authenticator,
        Transactions])
], Sessions);
export { Sessions };
//# sourceMappingURL=sessions.js.map