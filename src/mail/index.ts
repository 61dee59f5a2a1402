export { MailDrill } from './delivery/mail-drill.js';
export { MailInbox, type ReceivedMail } from './delivery/mail-inbox.js';
export { MAIL_KINDS, type MailKind } from './mail-kinds.js';
export { formatDuration, formatMoment } from './mail-wording.js';
export { MailStoreModule } from './mail-store.module.js';
export { MailModule } from './mail.module.js';
export { MailOutbox } from './outbox/mail-outbox.js';
export { type ListedMail, MailsRepository } from './outbox/mails.repository.js';
export { NOTICE_LIFETIME_MS, Notices } from './notices.js';
