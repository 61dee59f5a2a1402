/** After this time a notice of an event is no longer of use, and is not sent. */
export const NOTICE_LIFETIME_MS = 86_400_000;

/** The front end's page on which a reader who did not do it asks for a new password. */
export function forgotPasswordUrl(frontendUrl: string): string {
  return `${frontendUrl}/forgot-password`;
}

/** This service's own page on which the owner of an account says that a login was not theirs. */
export function reportLoginUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/not-me?token=${token}`;
}
