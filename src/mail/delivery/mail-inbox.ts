import type { MailKind } from '../mail-kinds.js';

export interface ReceivedMail {
  id: string;
  kind: MailKind;
  to: string;
  subject: string;
  html: string;
  text: string;
  otp: string | null;
  token: string | null;
  link: string | null;
}

/** Port: takes mails if no mail server is configured. `dev-tools` provides it, in development only. */
export abstract class MailInbox {
  abstract receive(mail: ReceivedMail): Promise<void>;
}
