import { MailerModule, type MailerOptions } from '@nestjs-modules/mailer';
import { HandlebarsAdapter } from '@nestjs-modules/mailer/adapters/handlebars.adapter';
import { Module } from '@nestjs/common';
import { Config } from '../infrastructure/config/index.js';
import { MailTransport } from './delivery/mail-transport.js';
import { TEMPLATE_DIRECTORY, TextTemplates } from './delivery/text-templates.js';
import { MailStoreModule } from './mail-store.module.js';
import { MailOutbox } from './outbox/mail-outbox.js';
import { MailMetrics } from './outbox/mail-metrics.js';
import { MailSeal } from './outbox/mail-seal.js';
import { MailWorker } from './outbox/mail-worker.js';
import { Notices } from './notices.js';

const CONNECT_TIMEOUT_MS = 15_000;
/**
 * A mail that is being examined may take a server longer than this (RFC 5321 section 4.5.3.2.6 grants it ten minutes), and then comes
 * twice. But of a connection that is dead nobody may hear anything either, and a code in a mail lives ten minutes.
 */
const ANSWER_TIMEOUT_MS = 60_000;

function mailerOptions({ mail }: Config): MailerOptions {
  const { smtp } = mail;
  return {
    transport: smtp
      ? {
          host: smtp.host,
          port: smtp.port,
          secure: smtp.port === 465,
          pool: true,
          // A kept connection may have been closed meanwhile; with nodemailer's five, a server that closes all is met six times a try.
          maxRequeues: 1,
          // What it greets with: some servers turn away the address that nodemailer would name in a container.
          name: mail.fromHost,
          connectionTimeout: CONNECT_TIMEOUT_MS,
          greetingTimeout: CONNECT_TIMEOUT_MS,
          socketTimeout: ANSWER_TIMEOUT_MS,
          ...(smtp.user ? { auth: { user: smtp.user, pass: smtp.password ?? '' }, requireTLS: smtp.port !== 465 } : {}),
        }
      : { jsonTransport: true },
    defaults: { from: mail.from } as MailerOptions['defaults'],
    template: { dir: TEMPLATE_DIRECTORY, adapter: new HandlebarsAdapter(), options: { strict: true } },
    options: { layout: 'layout' },
  };
}

/**
 * Owns mails from the moment a feature posts one until a mail server has taken it: stored, rendered, sent by a worker
 * with retries. Exports MailOutbox and Notices. Where no SMTP_HOST is set it delivers to the port MailInbox, which `dev-tools`
 * provides in development.
 */
@Module({
  imports: [MailStoreModule, MailerModule.forRootAsync({ imports: [], inject: [Config], useFactory: mailerOptions })],
  providers: [MailSeal, TextTemplates, MailTransport, MailMetrics, MailWorker, MailOutbox, Notices],
  exports: [MailOutbox, Notices],
})
export class MailModule {}
