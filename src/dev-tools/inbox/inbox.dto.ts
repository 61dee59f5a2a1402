import { IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { IsOmittable, IsWholeNumber } from '../../common/validation/index.js';
import { MAIL_KINDS, type MailKind } from '../../mail/index.js';
import type { InboxMail } from './inbox-mail.schema.js';

/** Refuses spaces: an unencoded plus sign arrives as one, and no mail would ever be found. */
const IsAddress = () =>
  Matches(/^[^\s@]+@[^\s@]+$/, { message: 'to must be an e-mail address, in a URL with + as %2B' });

export class InboxQueryDto {
  @IsAddress()
  @MaxLength(254)
  @IsString()
  @IsOmittable()
  to?: string;

  @MaxLength(254)
  @IsString()
  @IsOmittable()
  address?: string;
}

/** Below the server's time-out for idle connections. */
const MAX_TIMEOUT_SECONDS = 25;

export class NextMailQueryDto {
  @IsAddress()
  @MaxLength(254)
  @IsString()
  to: string;

  @IsIn(MAIL_KINDS)
  @IsOmittable()
  kind?: MailKind;

  @IsWholeNumber({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })
  after: number = 0;

  @IsWholeNumber({ minimum: 0, maximum: MAX_TIMEOUT_SECONDS, default: 10 })
  timeout_seconds: number = 10;
}

export interface InboxMailDto {
  _id: string;
  kind: string;
  to: string;
  subject: string;
  /** The code in it. */
  otp: string | null;
  /** The token in its link: of a reset, or of the report of a login. */
  token: string | null;
  /** The link with the token. */
  link: string | null;
  /** All links in its text. */
  links: string[];
  /** Position in the order of arrival; a later request for the `next` mail may start after it. */
  cursor: number;
  text: string;
  html: string;
  sent_at: string;
}

export function toInboxMailDto(mail: InboxMail): InboxMailDto {
  const { kind, to, subject, otp, token, link, cursor, text, html } = mail;
  return {
    _id: mail._id.toHexString(),
    kind,
    to,
    subject,
    otp,
    token,
    link,
    links: text.match(/https?:\/\/\S+/g) ?? [],
    cursor,
    text,
    html,
    sent_at: mail.sent_at.toISOString(),
  };
}
