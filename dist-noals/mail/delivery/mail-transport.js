var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { MailerService } from '@nestjs-modules/mailer';
import { Injectable, Optional } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';
import { MAIL_HEADINGS } from '../mail-kinds.js';
import { MailInbox } from './mail-inbox.js';
import { TextTemplates } from './text-templates.js';
const SERVICE_NAME = 'Accounts';
/** Renders a mail and hands it to the mail server, or to the development inbox. */
let MailTransport = class MailTransport {
    mailer;
    texts;
    config;
    inbox;
    constructor(mailer, texts, config, inbox) {
        this.mailer = mailer;
        this.texts = texts;
        this.config = config;
        this.inbox = inbox;
    }
    /** False where mails can only wait. */
    get isConfigured() {
        return this.config.mail.smtp !== null || this.inbox !== undefined;
    }
    /** @throws what the mail server said; `responseCode` 500 and above is for good */
    async deliver({ id, kind, to, context }) {
        const { subject, preheader } = MAIL_HEADINGS[kind];
        const values = { ...context, subject, preheader, service: SERVICE_NAME };
        const info = (await this.mailer.sendMail({
            to,
            subject,
            template: kind,
            context: values,
            text: this.texts.render(kind, values),
            // Always the same for one mail: should a crash make it leave twice, mailboxes can tell.
            messageId: `<${id}@account-service>`,
            headers: { 'Auto-Submitted': 'auto-generated' },
        }));
        if (!this.config.mail.smtp)
            await this.receive({ id, kind, to, context }, String(info.message));
    }
    async receive({ id, kind, to, context }, json) {
        const { subject, html, text } = JSON.parse(json);
        const { otp = null, token = null, link = null } = context;
        await this.inbox?.receive({ id, kind, to, subject, html, text, otp, token, link });
    }
};
MailTransport = __decorate([
    Injectable(),
    __param(3, Optional()),
    __metadata("design:paramtypes", [MailerService,
        TextTemplates,
        Config,
        MailInbox])
], MailTransport);
export { MailTransport };
//# sourceMappingURL=mail-transport.js.map