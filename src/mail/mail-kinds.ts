/** What can be used until a moment. A mail may wait before it is sent: its template says `expires_in`, counted from then. */
interface Expiring {
  expires_at: Date;
}

/** The values that each kind of mail is filled with. None is free text of a user: names could carry an advertisement. */
export interface MailContexts {
  'email-verification': Expiring & { otp: string };
  'password-reset': Expiring & { link: string; token: string };
  'security-alert': Expiring & { link: string; token: string; reported_at: string };
  'password-changed': {
    changed_at: string;
    reset_url: string;
    /** Whether the session in which it was changed goes on; all others have ended. */
    is_session_kept: boolean;
  };
  'username-changed': { changed_at: string; reset_url: string };
  'new-device': Expiring & {
    device: string;
    location: string | null;
    /** Whether it comes from the data of DB-IP, whose licence (CC BY 4.0) asks for a link beside what is shown. */
    is_location_by_db_ip: boolean;
    ip: string;
    logged_in_at: string;
    reset_url: string;
    /** Link to the page for reporting the login; null if the service does not know its own address. */
    link: string | null;
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
  'username-changed': { subject: 'Your username was changed', preheader: 'If it was not you, act now.' },
  'new-device': { subject: 'New login to your account', preheader: 'Was this you?' },
};

export const MAIL_KINDS = Object.keys(MAIL_HEADINGS) as MailKind[];

/**
 * Which waiting mails to the same recipient a new mail supersedes, because it invalidates the codes in them. Notices are never
 * superseded: the owner is to hear of each login and each change. Nor is a `security-alert` by a new reset link, which does
 * invalidate the link in it: nothing else tells the owner that the account is locked.
 */
export const SUPERSEDED_BY: Record<MailKind, MailKind[]> = {
  'email-verification': ['email-verification'],
  'password-reset': ['password-reset'],
  'security-alert': ['security-alert', 'password-reset'],
  'password-changed': ['password-reset'],
  'username-changed': [],
  'new-device': [],
};
