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
import { compare, hash, hashSync } from 'bcrypt';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
/** bcrypt ignores what follows; two longer passwords that begin alike would be the same. */
export const MAX_PASSWORD_BYTES = 72;
/** About 2.5 s of waiting at cost 10; who comes later is told to come back instead of hanging. */
const QUEUED_PER_SLOT = 50;
/**
 * bcrypt, a bounded number at a time and first come, first served: unbounded, a burst of logins would hold libuv's
 * pool, and with it every file and DNS access, for seconds.
 */
let PasswordHasher = class PasswordHasher {
    waiting = [];
    running = 0;
    cost;
    concurrency;
    /** A true hash of the same cost: comparing with a malformed one takes no time, and so names the unknown accounts. */
    hashOfNobody;
    constructor({ passwords }) {
        this.cost = passwords.hashCost;
        this.concurrency = passwords.hashConcurrency;
        this.hashOfNobody = hashSync('nobody', this.cost);
    }
    /**
     * @param secret a password, or a one-time code; normalised to NFC (NIST SP 800-63B-4 section 3.1.1.2), so that the same
     * text typed on another keyboard is the same password.
     * @throws ApiError `service_unavailable` when too many hashes wait already.
     */
    async hash(secret) {
        return this.inTurn(() => hash(secret.normalize('NFC'), this.cost));
    }
    /**
     * One bcrypt comparison, whether or not there is anything to compare with: an unknown account costs the same time.
     * @param expected the stored hash; null when there is none.
     * @throws ApiError `service_unavailable` when too many hashes wait already.
     */
    async verify(secret, expected) {
        const text = secret.normalize('NFC');
        const isComparable = expected !== null && Buffer.byteLength(text) <= MAX_PASSWORD_BYTES;
        const isEqual = await this.inTurn(() => compare(text, isComparable ? expected : this.hashOfNobody));
        return isComparable && isEqual;
    }
    async inTurn(work) {
        if (this.running >= this.concurrency) {
            if (this.waiting.length >= this.concurrency * QUEUED_PER_SLOT) {
                throw new ApiError('service_unavailable', { retryAfterSeconds: 2 });
            }
            await new Promise((resolve) => this.waiting.push(resolve));
        }
        else {
            this.running += 1;
        }
        try {
            return await work();
        }
        finally {
            // The slot is handed on, not freed: a newcomer must not overtake who waits.
            const next = this.waiting.shift();
            if (next)
                next();
            else
                this.running -= 1;
        }
    }
};
PasswordHasher = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Config])
], PasswordHasher);
export { PasswordHasher };
//# sourceMappingURL=password-hasher.js.map