var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AttemptCounter } from './attempt-counter.js';
/**
 * The second layer against guessing, beside the limit per address: a growing delay for one account, whichever
 * addresses the guesses come from. It is no lockout: it ends by itself, with a password reset, and at once with a success.
 */
let AccountBackoff = class AccountBackoff {
    attempts;
    constructor(attempts) {
        this.attempts = attempts;
    }
    /** @returns milliseconds to wait before the next attempt; 0 when this one may be made, which then is counted */
    async reserveAttempt(target) {
        return this.attempts.reserve(keyOf(target));
    }
    async clear(target) {
        await this.attempts.clear(keyOf(target));
    }
};
AccountBackoff = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [AttemptCounter])
], AccountBackoff);
export { AccountBackoff };
function keyOf(target) {
    // A name that nobody has is somebody's typing error, perhaps a password: it is kept as a digest.
    return 'userId' in target
        ? `attempts:user:${target.userId}${target.device ? `:${digest(target.device)}` : ''}`
        : `attempts:name:${digest(target.name.toLowerCase())}`;
}
function digest(text) {
    return createHash('sha256').update(text).digest('base64url');
}
//# sourceMappingURL=account-backoff.js.map