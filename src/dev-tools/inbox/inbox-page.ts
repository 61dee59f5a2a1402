import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import Handlebars from 'handlebars';
import { Clock } from '../../common/clock/index.js';
import type { InboxMail } from './inbox-mail.schema.js';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** The inbox as a page for people. */
@Injectable()
export class InboxPage {
  private readonly template = Handlebars.compile(
    readFileSync(join(import.meta.dirname, 'templates', 'inbox.hbs'), 'utf8'),
    { strict: true },
  );

  constructor(private readonly clock: Clock) {}

  render(mails: InboxMail[], query: string | null, total: number): string {
    return this.template({ mails: mails.map((mail) => this.entry(mail)), query, total });
  }

  private entry({ _id, to, subject, kind, sent_at, otp, link, text }: InboxMail) {
    return {
      id: _id.toHexString(),
      to,
      subject,
      kind,
      sent_at: sent_at.toISOString(),
      ago: this.ago(sent_at),
      otp,
      link,
      text,
    };
  }

  private ago(moment: Date): string {
    const seconds = Math.round((moment.getTime() - this.clock.nowMs()) / 1000);
    if (seconds > -60) return 'just now';
    if (seconds > -3_600) return RELATIVE.format(Math.round(seconds / 60), 'minute');
    if (seconds > -86_400) return RELATIVE.format(Math.round(seconds / 3_600), 'hour');
    return RELATIVE.format(Math.round(seconds / 86_400), 'day');
  }
}
