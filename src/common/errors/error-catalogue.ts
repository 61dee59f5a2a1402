/**
 * The closed list of errors a client can meet. The key is the stable, machine-readable `code` of the answer;
 * a code is never renamed or removed, because clients branch on it. `message` is for people.
 */
export const ERROR_CATALOGUE = {
  malformed_request: { status: 400, message: 'Malformed request' },
  invalid_otp: { status: 400, message: 'Invalid or expired OTP' },
  invalid_reset_token: { status: 400, message: 'Invalid or expired token' },
  report_link_invalid: { status: 400, message: 'This link is not valid' },
  report_link_expired: { status: 400, message: 'This link has expired' },
  report_link_used: { status: 400, message: 'This link was used already, or the password was reset since' },

  authentication_required: { status: 401, message: 'Authentication required' },
  invalid_credentials: { status: 401, message: 'Invalid credentials' },
  invalid_api_key: { status: 401, message: 'Invalid API key' },
  token_invalid: { status: 401, message: 'Invalid or expired token' },
  token_expired: { status: 401, message: 'Invalid or expired token' },
  session_revoked: { status: 401, message: 'Invalid or expired token' },
  logged_out: { status: 401, message: 'Invalid or expired token' },
  refresh_token_reused: { status: 401, message: 'Invalid or expired token' },
  password_changed: { status: 401, message: 'Invalid or expired token' },
  reported_not_me: { status: 401, message: 'Invalid or expired token' },
  account_disabled: { status: 401, message: 'Invalid or expired token' },

  email_not_verified: { status: 403, message: 'Email not verified' },
  password_reset_required: { status: 403, message: 'Password reset required' },
  role_required: { status: 403, message: 'Unauthorized' },

  not_found: { status: 404, message: 'Not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  request_timeout: { status: 408, message: 'The request took too long to arrive' },
  payload_too_large: { status: 413, message: 'Request body too large' },
  uri_too_long: { status: 414, message: 'Request address too long' },
  unsupported_media_type: { status: 415, message: 'The request body must be JSON (Content-Type: application/json)' },
  validation_failed: { status: 422, message: 'Validation failed' },
  too_many_login_attempts: { status: 429, message: 'Too many login attempts. Please try again later.' },
  too_many_requests: { status: 429, message: 'Too many requests. Please try again later.' },
  headers_too_large: { status: 431, message: 'Request headers too large' },

  internal_error: { status: 500, message: 'Internal server error' },
  service_unavailable: { status: 503, message: 'Service temporarily unavailable. Please try again later.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Errors that answer a wrong guess. On a limited route they tell how many more requests the caller has. */
export const GUESS_ERRORS: readonly ErrorCode[] = ['invalid_credentials', 'invalid_otp', 'invalid_reset_token'];

/** Refusals of requests that cannot be read. They happen before the limiter, so their answers have no limit headers. */
export const UNREAD_ERRORS: readonly ErrorCode[] = ['malformed_request', 'payload_too_large', 'unsupported_media_type'];

export const ERROR_CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
