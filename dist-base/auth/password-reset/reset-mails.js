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
import { Config } from '../../infrastructure/config/index.js';
import { forgotPasswordUrl, formatDuration, formatMoment, MailOutbox, NOTICE_LIFETIME_MS } from '../../mail/index.js';
/** The mails around a reset. Their links begin with a setting, never with a header of a request. */
let ResetMails = class ResetMails {
    outbox;
    config;
    clock;
    constructor(outbox, config, clock) {
        this.outbox = outbox;
        this.config = config;
        this.clock = clock;
    }
    async postLink(to, token, { isDecoy = false } = {}) {
        const { expiresAt } = token;
        await this.outbox.post({ kind: 'password-reset', to, context: this.linkOf(token), expiresAt, isDecoy });
    }
    /** To the owner of an account that was locked down. */
    async postAlert(to, token) {
        const context = { ...this.linkOf(token), reported_at: formatMoment(this.clock.now()) };
        await this.outbox.post({ kind: 'security-alert', to, context, expiresAt: token.expiresAt });
    }
    async postChanged(to) {
        const context = {
            changed_at: formatMoment(this.clock.now()),
            reset_url: forgotPasswordUrl(this.config.mail.frontendUrl),
        };
        const expiresAt = new Date(this.clock.nowMs() + NOTICE_LIFETIME_MS);
        await this.outbox.post({ kind: 'password-changed', to, context, expiresAt });
    }
    linkOf({ secret }) {
        return {
            link: `${this.config.mail.frontendUrl}/reset-password?token=${secret}`,
            token: secret,
            expires_in: formatDuration(this.config.oneTimeSecrets.resetTtlMs),
        };
    }
};
ResetMails = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [MailOutbox,
        Config,
        Clock])
], ResetMails);
export { ResetMails };
//# sourceMappingURL=reset-mails.js.map