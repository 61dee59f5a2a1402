import { type ApiError, type ErrorCode, type FieldError, GUESS_ERRORS } from '../errors/index.js';
import { requestPath } from './request-path.js';

/** What a client can act upon, beside the code. */
export interface ErrorHints {
  /** With `validation_failed`. */
  errors?: FieldError[];
  /** Seconds, as in the header `Retry-After`. */
  retry_after?: number;
  /** Requests left at this route before it answers 429; after a wrong guess. */
  attempts_remaining?: number;
  /** The address that is to be confirmed; with `email_not_verified`. */
  email?: string;
  /** From when on another code can be asked for (RFC 3339); the same. */
  resend_available_at?: string;
}

/** The envelope of `/auth/*` (spec: "Response envelope"). */
export interface AuthEnvelope extends ErrorHints {
  status_code: number;
  status: 'SUCCESS' | 'ERROR';
  code?: ErrorCode;
  message: string;
  data?: unknown;
}

/** The envelope of every other route (spec: "A second envelope"). */
export interface ResourceEnvelope extends ErrorHints {
  error: boolean;
  code?: ErrorCode;
  message: string;
  data: unknown;
}

export type EnvelopeKind = 'auth' | 'resource';

/** Also decides for paths that no route serves, so that an unknown `/auth/x` answers like its neighbours. */
export function envelopeKindOf(url: string): EnvelopeKind {
  return /^\/auth(?:\/|$)/i.test(requestPath(url)) ? 'auth' : 'resource';
}

export function successBody(
  kind: EnvelopeKind,
  status: number,
  message: string,
  data: unknown,
): AuthEnvelope | ResourceEnvelope {
  return kind === 'auth'
    ? { status_code: status, status: 'SUCCESS', message, ...(data === undefined ? {} : { data }) }
    : { error: false, message, data: data ?? null };
}

/** @param requestsRemaining what the limit of the route leaves to the caller, where it has one */
export function errorBody(
  kind: EnvelopeKind,
  error: ApiError,
  requestsRemaining?: number,
): AuthEnvelope | ResourceEnvelope {
  const { code, message } = error;
  const hints = hintsOf(error, requestsRemaining);
  return kind === 'auth'
    ? { status_code: error.status, status: 'ERROR', code, message, ...hints }
    : { error: true, code, message, data: error.data ?? null, ...hints };
}

function hintsOf(error: ApiError, remaining?: number): ErrorHints {
  const { code, fields, retryAfterSeconds, email, resendAvailableAt } = error;
  return {
    ...(fields && { errors: fields }),
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
    ...(remaining !== undefined && GUESS_ERRORS.includes(code) && { attempts_remaining: remaining }),
    ...(email && { email }),
    ...(resendAvailableAt && { resend_available_at: resendAvailableAt.toISOString() }),
  };
}
