/** Port: makes the mail server fail on purpose. `dev-tools` provides it, in development alone. */
export abstract class MailDrill {
  /** @throws what a mail server that fails would say; `responseCode` 500 and above is for good */
  abstract assertDelivers(): void;
}
