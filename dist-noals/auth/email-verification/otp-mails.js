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
import { formatDuration, MailOutbox } from '../../mail/index.js';
import { OneTimeSecrets } from '../../security/index.js';
/** The mail that carries an OTP. */
let OtpMails = class OtpMails {
    outbox;
    secrets;
    constructor(outbox, secrets) {
        this.outbox = outbox;
        this.secrets = secrets;
    }
    async post(to, { secret, expiresAt }, { isDecoy = false } = {}) {
        await this.outbox.post({
            kind: 'email-verification',
            to,
            context: { otp: secret, expires_in: formatDuration(this.secrets.otpTtlMs) },
            expiresAt,
            isDecoy,
        });
    }
};
OtpMails = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [MailOutbox,
        OneTimeSecrets])
], OtpMails);
export { OtpMails };
//# sourceMappingURL=otp-mails.js.map