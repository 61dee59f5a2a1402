import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE } from '../../src/common/errors/index.js';
import { DESCRIPTION } from '../../src/common/openapi/description.js';

describe('Error codes', () => {
  it('are a closed list: clients branch on them, so none is renamed, removed or given another status', () => {
    const pinned = Object.entries(ERROR_CATALOGUE).map(
      ([code, { status, message }]) => `${status} ${code}: ${message}`,
    );
    expect(pinned).toMatchInlineSnapshot(`
      [
        "400 malformed_request: Malformed request",
        "400 invalid_otp: Invalid or expired OTP",
        "400 invalid_reset_token: Invalid or expired token",
        "400 report_link_invalid: This link is not valid",
        "400 report_link_expired: This link has expired",
        "400 report_link_used: This link was used already, or the password was reset since",
        "401 authentication_required: Authentication required",
        "401 invalid_credentials: Invalid credentials",
        "401 invalid_api_key: Invalid API key",
        "401 token_invalid: Invalid or expired token",
        "401 token_expired: Invalid or expired token",
        "401 session_revoked: Invalid or expired token",
        "401 logged_out: Invalid or expired token",
        "401 refresh_token_reused: Invalid or expired token",
        "401 password_changed: Invalid or expired token",
        "401 reported_not_me: Invalid or expired token",
        "401 account_disabled: Invalid or expired token",
        "403 email_not_verified: Email not verified",
        "403 password_reset_required: Password reset required",
        "403 role_required: Unauthorized",
        "404 not_found: Not found",
        "405 method_not_allowed: Method not allowed",
        "408 request_timeout: The request took too long to arrive",
        "413 payload_too_large: Request body too large",
        "414 uri_too_long: Request address too long",
        "415 unsupported_media_type: The request body must be JSON (Content-Type: application/json)",
        "422 validation_failed: Validation failed",
        "429 too_many_login_attempts: Too many login attempts. Please try again later.",
        "429 too_many_requests: Too many requests. Please try again later.",
        "431 headers_too_large: Request headers too large",
        "500 internal_error: Internal server error",
        "503 service_unavailable: Service temporarily unavailable. Please try again later.",
      ]
    `);
  });

  it('are explained in the document', () => {
    const unexplained = Object.keys(ERROR_CATALOGUE).filter((code) => !DESCRIPTION.includes(`\`${code}\``));
    expect(unexplained).toEqual([]);
  });

  it('are snake_case', () => {
    for (const code of Object.keys(ERROR_CATALOGUE)) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });
});
