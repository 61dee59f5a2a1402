/** A notice of what has happened is of no use to its reader after this. */
export const NOTICE_LIFETIME_MS = 86_400_000;
/** The front end's page on which a reader who did not do it asks for a new password. */
export function forgotPasswordUrl(frontendUrl) {
    return `${frontendUrl}/forgot-password`;
}
//# sourceMappingURL=notice.js.map