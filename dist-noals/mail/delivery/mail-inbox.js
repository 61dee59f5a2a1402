/** Port: takes mails where no mail server is configured. `dev-tools` provides it, in development alone. */
export class MailInbox {
}
//# sourceMappingURL=mail-inbox.js.map