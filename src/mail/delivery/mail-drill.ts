/** Port: makes the mail server fail on purpose. `dev-tools` provides it, in development only. */
export abstract class MailDrill {
  /** @throws the error of a failing mail server; `command`, `responseCode` and `response` say what it refuses, as those of nodemailer do */
  abstract assertDelivers(): void;
}
