/** nodemailer's codes for a failed connection, greeting, encryption or login: no refusal of a mail, which goes on waiting. */
const BEFORE_ANY_MAIL = new Set(['ECONNECTION', 'EPROTOCOL', 'ETLS', 'EAUTH']);
/** Replies to a mail that do not refuse it either: encryption (RFC 3207 section 4) or a login (RFC 4954 section 6) is required first. */
const LOGIN_REQUIRED = 530;

/** The service is not available, and closes the connection (RFC 5321 section 3.8). */
const CLOSING = 421;

/** Enhanced status codes (RFC 3463) about the recipient's address or mailbox. Those of senders are 5.1.7 and 5.1.8. */
const ABOUT_THE_RECIPIENT = /^5\d\d[ -]5\.(?:1\.(?:[1-6]|10)|2\.[1-4])\b/;
/** Without such a code, in reply to the recipient: 550 to 553, and 556 (RFC 7504); those below say that the command is wrong. */
const PLAIN_REFUSAL = /^55[01236][ -](?!5\.\d)/;
/** The service may send to nobody outside: what a server says that does not know it. */
const NO_RELAYING = /\brelay/i;

/** Of nodemailer, whose `command` says in reply to what, and `response` what; or of whatever else kept a mail from leaving. */
export type DeliveryError = Error & { responseCode?: number; response?: string; code?: string; command?: string };

/** Whether the mail server takes no mail at all, of this sender at least: it cannot be reached, or is to be logged in to first. */
export function isServerFailure({ responseCode, code = '', command }: DeliveryError): boolean {
  if (responseCode === CLOSING || responseCode === LOGIN_REQUIRED || BEFORE_ANY_MAIL.has(code)) return true;
  return command === 'CONN' || command === 'MAIL FROM';
}

/**
 * Whether the mail server refuses the recipient permanently. What it says of the service or its sender, of quotas or of contents, also
 * as permanent and in reply to the recipient or the mail, is to be mended by the operator, and until then mails wait.
 */
export function isRecipientRefused(error: DeliveryError): boolean {
  const { responseCode = 0, response = '', command } = error;
  if (responseCode < 500 || isServerFailure(error)) return false;
  if (ABOUT_THE_RECIPIENT.test(response)) return true;
  return command === 'RCPT TO' && PLAIN_REFUSAL.test(response) && !NO_RELAYING.test(response);
}
