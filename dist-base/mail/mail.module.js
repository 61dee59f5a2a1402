var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { MailerModule } from '@nestjs-modules/mailer';
import { HandlebarsAdapter } from '@nestjs-modules/mailer/adapters/handlebars.adapter';
import { Module } from '@nestjs/common';
import { Config } from '../infrastructure/config/index.js';
import { MailTransport } from './delivery/mail-transport.js';
import { TEMPLATE_DIRECTORY, TextTemplates } from './delivery/text-templates.js';
import { MailStoreModule } from './mail-store.module.js';
import { MailOutbox } from './outbox/mail-outbox.js';
import { MailSeal } from './outbox/mail-seal.js';
import { MailWorker } from './outbox/mail-worker.js';
const SMTP_TIMEOUT_MS = 15_000;
function mailerOptions({ mail }) {
    const { smtp } = mail;
    return {
        transport: smtp
            ? {
                host: smtp.host,
                port: smtp.port,
                secure: smtp.port === 465,
                pool: true,
                connectionTimeout: SMTP_TIMEOUT_MS,
                greetingTimeout: SMTP_TIMEOUT_MS,
                socketTimeout: SMTP_TIMEOUT_MS,
                ...(smtp.user ? { auth: { user: smtp.user, pass: smtp.password ?? '' }, requireTLS: smtp.port !== 465 } : {}),
            }
            : { jsonTransport: true },
        defaults: { from: mail.from },
        template: { dir: TEMPLATE_DIRECTORY, adapter: new HandlebarsAdapter(), options: { strict: true } },
        options: { layout: 'layout' },
    };
}
/**
 * Owns mails from the moment a feature posts one until a mail server has taken it: stored, rendered, sent by a worker
 * with retries. Exports MailOutbox. Where no SMTP_HOST is set it delivers to the port MailInbox, which `dev-tools`
 * provides in development.
 */
let MailModule = class MailModule {
};
MailModule = __decorate([
    Module({
        imports: [MailStoreModule, MailerModule.forRootAsync({ imports: [], inject: [Config], useFactory: mailerOptions })],
        providers: [MailSeal, TextTemplates, MailTransport, MailWorker, MailOutbox],
        exports: [MailOutbox],
    })
], MailModule);
export { MailModule };
//# sourceMappingURL=mail.module.js.map