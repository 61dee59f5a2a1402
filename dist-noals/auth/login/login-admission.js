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
import { KnownDevicesRepository, LocationFinder, networkOf, parseDevice } from '../../login-history/index.js';
import { AccountBackoff, SecurityEvents } from '../../security/index.js';
/** Lets a login attempt at an account through, or holds it back for a while after many failures in a row. */
let LoginAdmission = class LoginAdmission {
    backoff;
    knownDevices;
    locations;
    events;
    constructor(backoff, knownDevices, locations, events) {
        this.backoff = backoff;
        this.knownDevices = knownDevices;
        this.locations = locations;
        this.events = events;
    }
    /**
     * Username and address of an account count together, and names of nobody like those of accounts. Where an account is
     * held back, a device and network from which it has been used before still has attempts of its own: else guessing
     * would be a way to lock the owner out, and without a count of theirs a copied device could guess for ever.
     * @throws ApiError `too_many_login_attempts`
     */
    async admit(account, login, client) {
        const target = account ? { userId: account.userId } : { name: login };
        let waitMs = await this.backoff.reserveAttempt(target);
        if (waitMs === 0)
            return;
        const device = account && (await this.knownDevice(account, client));
        if (account && device)
            waitMs = await this.backoff.reserveAttempt({ userId: account.userId, device });
        if (waitMs === 0)
            return;
        this.events.record({ kind: 'authn_login_fail_max', outcome: 'failure', userId: account?.userId });
        throw new ApiError('too_many_login_attempts', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    }
    async succeeded({ userId }) {
        await this.backoff.clear({ userId });
    }
    /** @returns the fingerprint of the client's device, if the account has been used from it */
    async knownDevice({ userId }, { ip, userAgent }) {
        const network = networkOf(ip, await this.locations.find(ip));
        return this.knownDevices.findKnown({ userId, device: parseDevice(userAgent), network });
    }
};
LoginAdmission = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AccountBackoff,
        KnownDevicesRepository,
        LocationFinder,
        SecurityEvents])
], LoginAdmission);
export { LoginAdmission };
//# sourceMappingURL=login-admission.js.map