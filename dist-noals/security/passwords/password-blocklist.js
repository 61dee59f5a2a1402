var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
/** Refuses passwords of a list of common ones, whole and without regard to case (ASVS 5.0 6.2.4), if the operator gives one. */
let PasswordBlocklist = class PasswordBlocklist {
    refused;
    constructor({ passwords }) {
        const lines = passwords.blocklistFile ? readFileSync(passwords.blocklistFile, 'utf8').split(/\r?\n/) : [];
        this.refused = new Set(lines.map((line) => line.trim().toLowerCase()).filter(Boolean));
    }
    /**
     * @param ownWords what an attacker tries first for this account: the e-mail address, the username (ASVS 5.0 6.2.11).
     * @throws ApiError `validation_failed` for the field `password`.
     */
    assertAllowed(password, ownWords) {
        const folded = password.normalize('NFC').toLowerCase();
        if (ownWords.some((word) => word.toLowerCase() === folded)) {
            throw ApiError.invalidField('password', 'password must not be your e-mail address or username');
        }
        if (this.refused.has(folded)) {
            throw ApiError.invalidField('password', 'password is on a list of common passwords; choose another');
        }
    }
};
PasswordBlocklist = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Config])
], PasswordBlocklist);
export { PasswordBlocklist };
//# sourceMappingURL=password-blocklist.js.map