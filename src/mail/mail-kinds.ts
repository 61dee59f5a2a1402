/** What each kind of mail is filled with. Nothing that a user typed is among it: names could carry an advertisement. */
export interface MailContexts {
  'email-verification': { otp: string; expires_in: string };
  'password-reset': { link: string; token: string; expires_in: string };
  'security-alert': { link: string; token: string; expires_in: string; reported_at: string };
  'password-changed': {
    changed_at: string;
    reset_url: string;
    /** The session in which it was changed goes on; else none does. */
    is_session_kept: boolean;
  };
  'new-device': {
    device: string;
    location: string | null;
    ip: string;
    logged_in_at: string;
    reset_url: string;
    /** Of the page to report the login; null where the service does not know its own address. */
    link: string | null;
    expires_in: string;
  };
}

export type MailKind = keyof MailContexts;

export const MAIL_HEADINGS: Record<MailKind, { subject: string; preheader: string }> = {
  'email-verification': {
    subject: 'Your confirmation code',
    preheader: 'Enter this code to confirm your e-mail address.',
  },
  'password-reset': { subject: 'Reset your password', preheader: 'Choose a new password with the link in this mail.' },
  'security-alert': {
    subject: 'Your account was secured',
    preheader: 'All devices were logged out. Choose a new password to log in again.',
  },
  'password-changed': { subject: 'Your password was changed', preheader: 'If it was not you, act now.' },
  'new-device': { subject: 'New login to your account', preheader: 'Was this you?' },
};

export const MAIL_KINDS = Object.keys(MAIL_HEADINGS) as MailKind[];

/**
 * Which mails that still wait for the same recipient a new one makes void, for it kills the codes in them. Notices are in
 * nobody's way: the owner is to hear of each login and each change. A new reset link kills that of a `security-alert`
 * too, and yet the alert is sent: nothing else tells the owner that the account is locked.
 */
export const SUPERSEDED_BY: Record<MailKind, MailKind[]> = {
  'email-verification': ['email-verification'],
  'password-reset': ['password-reset'],
  'security-alert': ['security-alert', 'password-reset'],
  'password-changed': [],
  'new-device': [],
};
