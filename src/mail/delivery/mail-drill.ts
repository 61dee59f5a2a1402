/** Port: makes the mail server fail on purpose. `dev-tools` provides it, in development only. */
export abstract class MailDrill {
  /** @throws the error of a failing mail server; a `responseCode` of 500 and above is permanent */
  abstract assertDelivers(): void;
}
