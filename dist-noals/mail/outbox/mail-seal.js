var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Encrypts what stored mails contain, so that the database holds no usable code, not even while a mail waits. */
let MailSeal = class MailSeal {
    key;
    constructor({ tokens }) {
        this.key = Buffer.from(hkdfSync('sha256', tokens.refreshSecret, '', 'account-service stored mail', 32));
    }
    seal(content) {
        const nonce = randomBytes(NONCE_BYTES);
        const cipher = createCipheriv(ALGORITHM, this.key, nonce);
        const body = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
        return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    }
    /** @throws Error when it was sealed with another secret, or altered */
    unseal(sealed) {
        const bytes = Buffer.from(sealed, 'base64');
        const decipher = createDecipheriv(ALGORITHM, this.key, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const body = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
        return JSON.parse(body.toString('utf8'));
    }
};
MailSeal = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [Config])
], MailSeal);
export { MailSeal };
//# sourceMappingURL=mail-seal.js.map