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
import { PasswordBlocklist } from './password-blocklist.js';
import { PasswordHasher } from './password-hasher.js';
/** Accepts a chosen password, beyond what its shape says, and turns it into what is stored. */
let NewPasswords = class NewPasswords {
    blocklist;
    hasher;
    constructor(blocklist, hasher) {
        this.blocklist = blocklist;
        this.hasher = hasher;
    }
    /**
     * @returns the hash
     * @throws ApiError `validation_failed` for the field `password`
     */
    async hash(password, { ownWords, refusedHash }) {
        this.blocklist.assertAllowed(password, ownWords);
        if (refusedHash !== undefined && (await this.hasher.verify(password, refusedHash))) {
            throw ApiError.invalidField('password', 'password must differ from the previous one');
        }
        return this.hasher.hash(password);
    }
};
NewPasswords = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [PasswordBlocklist,
        PasswordHasher])
], NewPasswords);
export { NewPasswords };
//# sourceMappingURL=new-passwords.js.map