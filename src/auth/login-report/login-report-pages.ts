import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import type { ApiError, ErrorCode } from '../../common/errors/index.js';
import type { HtmlPage } from '../../common/pages/index.js';
import { formatDuration, formatMoment } from '../../mail/index.js';

const templateOf = (name: string) =>
  Handlebars.compile(readFileSync(join(import.meta.dirname, 'templates', `${name}.hbs`), 'utf8'), { strict: true });

const question = templateOf('question');
const done = templateOf('done');
const refusal = templateOf('refusal');

const INCOMPLETE: [title: string, text: string] = [
  'This link is not valid',
  'It may have been cut off on its way: copy all of it from the mail. If it still does not work, reset your password with “Forgot password” where you log in.',
];
const REFUSALS: Partial<Record<ErrorCode, [title: string, text: string]>> = {
  report_link_invalid: INCOMPLETE,
  validation_failed: INCOMPLETE,
  malformed_request: INCOMPLETE,
  report_link_expired: [
    'This link has expired',
    'If you did not log in, reset your password with “Forgot password” where you log in: that ends every session.',
  ],
  report_link_used: [
    'That login has ended already',
    'This link was used before, or the password was reset since: the sessions of that time have ended. To choose a new password, use the link in the latest mail, or “Forgot password” where you log in.',
  ],
};

export function questionPage(service: string, token: string, loggedInAt: Date): HtmlPage {
  return {
    title: 'Was this login not you?',
    body: question({ service, token, logged_in_at: formatMoment(loggedInAt) }),
  };
}

export function donePage(): HtmlPage {
  return { title: 'Your account is locked', body: done({}) };
}

export function refusalPage({ code, status, retryAfterSeconds = 0 }: ApiError): HtmlPage {
  if (status === 429) {
    const wait = formatDuration(Math.ceil(retryAfterSeconds / 60) * 60_000);
    return { title: 'Too many attempts', body: refusal({ text: `Please wait ${wait}, then try again.` }) };
  }
  const [title, text] = REFUSALS[code] ?? [
    'This did not work',
    'Nothing was changed. Please open the link in the mail again in a few minutes.',
  ];
  return { title, body: refusal({ text }) };
}
