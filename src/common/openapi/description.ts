/** Tags in the order in which a newcomer reads. */
export const TAGS: [name: string, description: string][] = [
  ['Registration', 'Make an account and confirm its e-mail address'],
  ['Sessions', 'Log in, stay logged in, log out'],
  ['Recovery', 'A forgotten password, a login that was not yours'],
  ['Profile', 'Your own account'],
  ['Login history', 'Your own sessions'],
  ['Administration', 'For administrators: accounts, and the record of security events'],
  ['API keys', 'For administrators: the keys of calling applications'],
  ['Health', 'For load balancers and orchestrators'],
];

/** What a client developer needs to know before the first request. */
export const DESCRIPTION = `Accounts and authentication: register, confirm the e-mail address with a one-time code, log in by
username or e-mail, stay logged in with a rotating refresh token, log out, recover a password, and report a login that
was not yours with one call.

## The way through

1. \`POST /auth/register\` makes an account and mails a code of six digits.
2. \`POST /auth/verify-otp\` confirms the address with it.
3. \`POST /auth/login\` opens a session: an access token (\`token\`, one hour) and a \`refresh_token\`.
4. Requests to \`/api\` bear both \`x-api-key: <key of your application>\` and \`Authorization: Bearer <token>\`.
5. \`POST /auth/refresh-token\` exchanges the refresh token for the next pair, before or after the access token expires.
   Each refresh token works once; keep the new one. Two tabs that refresh at the same moment get the same refresh token.
6. \`POST /auth/logout\` ends the session.

## Answers

\`/auth/*\` answers \`{ status_code, status: "SUCCESS" | "ERROR", message, data? }\`, every other path
\`{ error, message, data }\`. Bodies are JSON in UTF-8, at most 16 KiB unless the operation says otherwise. Where a body, a query or a path
is documented, a field that is not is refused. Dates are RFC 3339 in UTC, identifiers 24 hexadecimal characters.

## Errors

Every error bears a \`code\` of a closed list, of which none is ever renamed or removed. Branch on it and not on \`message\`, which is for
people. Newer releases may have further codes, as well as further roles, statuses and kinds of events: of a code that you do not know, go
by the status. A 401 ends the session, a 429 or 503 may be repeated after \`retry_after\` seconds; do not repeat any other.

| code | what to do |
|---|---|
| \`validation_failed\` | show \`errors\`: one entry for each field that is wrong, of the body first, and if that is right, of path and query |
| \`token_expired\` | of an access token: refresh once, and repeat the request; from \`/auth/refresh-token\` itself: the session is over |
| \`session_revoked\`, \`logged_out\`, \`password_changed\`, \`reported_not_me\`, \`refresh_token_reused\`, \`token_invalid\` | the session is over, for the reason that the code names: log in again |
| \`account_disabled\` | the session is over, and the account is stopped: name your support. A login is refused with \`invalid_credentials\`, and no reset link is mailed |
| \`email_not_verified\` | ask for the code that was sent to \`email\`; another can be had from \`resend_available_at\` on |
| \`password_reset_required\` | the account was locked after a report, or imported without a password: reset the password |
| \`invalid_credentials\`, \`invalid_otp\`, \`invalid_reset_token\` | ask again; at most \`attempts_remaining\` more requests are answered, fewer where an account is delayed. A code itself is dead after five wrong ones, whatever remains: ask for another |
| \`too_many_login_attempts\`, \`too_many_requests\` | repeat after \`retry_after\` seconds; from \`/auth/refresh-token\` too, the session goes on, unless the answer to an earlier refresh with the same token was lost. A mailed code may have expired by then: ask for another |
| \`service_unavailable\` | repeat after \`retry_after\` seconds. What came too late may still have been done: a registration whose repetition says “already taken” may have the code in its mailbox |
| \`report_link_invalid\`, \`report_link_expired\`, \`report_link_used\` | the link of the mail does nothing (any more): offer a password reset |
| \`role_required\`, \`not_found\`, \`method_not_allowed\` | do not repeat |
| \`invalid_api_key\`, \`authentication_required\`, \`malformed_request\`, \`unsupported_media_type\`, \`payload_too_large\` and, at any path, \`uri_too_long\` (414: an id of more than 100 characters, too) and \`headers_too_large\` (431: more than 16 KiB or 100 of them) | a fault of the calling program |
| \`request_timeout\` (408, at any path) | the request did not arrive within some ten seconds, and nothing was done: repeat it, on a new connection |
| \`internal_error\` | a fault of the service: report the \`x-request-id\` |

## Limits

Each operation of \`/auth\` answers five requests in 15 minutes from one address, all others together a hundred (health and this
document have none); other numbers may be set. A server that calls for its users counts as one address, unless the operator names it in
\`TRUST_PROXY\` and it sends their addresses in \`X-Forwarded-For\`. \`RateLimit-Policy\` and \`RateLimit\` tell what is allowed and
what is left, on every answer but that to a request which could not be read (400 \`malformed_request\`, 408, 413, 414, 415, 431) or has
no operation (404 of an unknown path, 405).

## Lifetimes

By default an access token lives an hour, a refresh token seven days, and a session thirty, however often it is refreshed; a code
lives ten minutes, a reset token fifteen. A refresh whose answer was lost may be repeated with the same token within ten seconds,
unless its successor was used meanwhile: wait four seconds for the answer at most, repeat it at once, and store the new token before you
use it. \`expires_in\` tells how long the access token lives, \`retry_after\` when a refused request may be repeated. Count both from the
answer's arrival, for the clock of a device may be wrong; \`date\` is the service's.

## When an answer is lost

A request without an answer may have been done all the same. What its repetition is answered then:

| operation | answer to the repetition |
|---|---|
| \`register\` | 422, the names are taken: a login that is refused with \`email_not_verified\` shows that it was done |
| \`verifyOtp\`, \`resetPassword\`, \`changePassword\` | \`invalid_otp\`, \`invalid_reset_token\`, 422 for \`current_password\`: log in to see whether it was done |
| \`login\` | another session; the first one stays in the list until it expires or is ended |
| \`refreshToken\` | the same successor, for ten seconds |
| \`logout\`, \`itsNotMe\`, \`reportLogin\` | \`logged_out\`, \`reported_not_me\`, \`report_link_used\`: it was done |
| \`endSession\`, \`endUserSession\`, \`revokeApiKey\` | \`not_found\`: it was done |
| \`issueApiKey\` | 422, the name is taken: rotate the key, which nobody has seen |
| \`rotateApiKey\` | another key, unless an overlap was asked for (422); ask again without one |
| all others | as if it were the first |

## From a browser

Origins that the operator has named (\`CORS_ORIGINS\`) may call, with the headers \`authorization\`, \`content-type\`, \`x-api-key\`,
\`x-request-id\`, \`traceparent\` and \`tracestate\`, and read \`date\` (the service's clock), \`x-request-id\`, \`retry-after\`, \`ratelimit\`, \`ratelimit-policy\` and \`www-authenticate\`. There are no cookies.
A request that cannot be read at all (431, and some 400 and 408) is refused before its origin is known: to the page that looks like a failed connection.

## Lists

\`page\` counts from 1, \`limit\` is 20 unless asked otherwise, at most 100. An answer has the entries in \`data.content\` and the position in
\`data.pagination\`.

Every answer bears \`x-request-id\`; quote it when you ask for help.`;
