import { MailerService } from '@nestjs-modules/mailer';
import { Injectable, Optional } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { MAIL_HEADINGS, type MailContexts, type MailKind } from '../mail-kinds.js';
import { MailDrill } from './mail-drill.js';
import { MailInbox } from './mail-inbox.js';
import { TextTemplates } from './text-templates.js';
import { withTimeLeft } from './time-left.js';

export interface Delivery {
  id: string;
  kind: MailKind;
  to: string;
  context: MailContexts[MailKind];
}

/** Renders a mail and hands it to the mail server, or to the development inbox. */
@Injectable()
export class MailTransport {
  constructor(
    private readonly mailer: MailerService,
    private readonly texts: TextTemplates,
    private readonly config: Config,
    private readonly clock: Clock,
    @Optional() private readonly inbox?: MailInbox,
    @Optional() private readonly drill?: MailDrill,
  ) {}

  /** False if there is neither a mail server nor an inbox, so that mails can only wait. */
  get isConfigured(): boolean {
    return this.config.mail.smtp !== null || this.inbox !== undefined;
  }

  /** @throws the mail server's error, with the `command`, the `responseCode` and the `response` of nodemailer */
  async deliver({ id, kind, to, context }: Delivery): Promise<void> {
    this.drill?.assertDelivers();
    const { subject, preheader } = MAIL_HEADINGS[kind];
    const { serviceName, fromHost, smtp } = this.config.mail;
    const values = { ...withTimeLeft(context, this.clock.nowMs()), subject, preheader, service: serviceName };
    const info = (await this.mailer.sendMail({
      to,
      subject,
      template: kind,
      context: values,
      text: this.texts.render(kind, values),
      // The same at every attempt: if a crash makes a mail leave twice, mailboxes recognise the second. Its
      // right side is the sender's host: spam filters distrust one that is no host.
      messageId: `<${id}@${fromHost}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })) as { message?: unknown };
    if (!smtp) await this.receive({ id, kind, to, context }, String(info.message));
  }

  private async receive({ id, kind, to, context }: Delivery, json: string): Promise<void> {
    const { subject, html, text } = JSON.parse(json) as { subject: string; html: string; text: string };
    const { otp = null, link = null, ...others } = context as { otp?: string; link?: string; token?: string };
    const url = link && URL.canParse(link) ? new URL(link) : null;
    const token = others.token ?? url?.searchParams.get('token') ?? null;
    await this.inbox?.receive({ id, kind, to, subject, html, text, otp, token, link });
  }
}
