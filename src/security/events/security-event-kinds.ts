/** The kinds of security events, in the words of OWASP's logging vocabulary where it has one. */
export const SECURITY_EVENT_KINDS = [
  'user_created',
  'email_verified',
  'email_verification_failed',
  'authn_login_success',
  'authn_login_fail',
  'authn_login_fail_max',
  'authn_logout',
  'authn_token_revoked',
  'authn_token_reuse',
  'authn_password_reset_requested',
  'authn_password_change',
  'authn_password_reset_failed',
  'authn_lockdown',
  'authn_fail',
  'authz_fail',
  'excess_rate_limit_exceeded',
  'user_updated',
  'user_role_changed',
  'user_disabled',
  'user_enabled',
  'user_deleted',
  'user_restored',
  'user_erased',
  'api_key_changed',
] as const;

export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];
