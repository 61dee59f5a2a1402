export const MAIL_HEADINGS = {
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
export const MAIL_KINDS = Object.keys(MAIL_HEADINGS);
//# sourceMappingURL=mail-kinds.js.map