import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.js';

export interface FieldError {
  /** Path of the field in the request, e.g. `email` or `page`. */
  field: string;
  message: string;
}

interface ApiErrorDetails {
  /** What was wrong with which field; only with `validation_failed`, whose answer always has the list. */
  fields?: FieldError[];
  /**
   * Seconds after which the same request can succeed; becomes `Retry-After` and `retry_after`. With status 429 and 503 it is
   * {@link DEFAULT_RETRY_SECONDS} by default.
   */
  retryAfterSeconds?: number;
  /** The address that is to be confirmed; only with `email_not_verified`, whose caller may have logged in by username. */
  email?: string;
  /** From when on another code can be asked for; the same. */
  resendAvailableAt?: Date;
  /** What the answer tells beyond code and message, outside `/auth`. */
  data?: object;
  /** Further response headers, e.g. `Allow`. */
  headers?: Record<string, string>;
  /** The private reason. It is logged for unexpected errors and never leaves the service. */
  cause?: unknown;
}

/** A dependency that is down is looked for again every few seconds. */
const DEFAULT_RETRY_SECONDS = 5;
/** Statuses whose answers always say when to try again. */
const REPEATABLE_STATUSES = [429, 503];

/** The one exception that features throw: a code of the catalogue, and what the answer needs beyond it. */
export class ApiError extends Error {
  readonly status: number;
  readonly fields?: FieldError[];
  readonly retryAfterSeconds?: number;
  readonly email?: string;
  readonly resendAvailableAt?: Date;
  readonly data?: object;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    details: ApiErrorDetails = {},
  ) {
    super(ERROR_CATALOGUE[code].message, { cause: details.cause });
    this.name = 'ApiError';
    this.status = ERROR_CATALOGUE[code].status;
    this.fields = details.fields ?? (code === 'validation_failed' ? [] : undefined);
    this.retryAfterSeconds =
      details.retryAfterSeconds ?? (REPEATABLE_STATUSES.includes(this.status) ? DEFAULT_RETRY_SECONDS : undefined);
    this.email = details.email;
    this.resendAvailableAt = details.resendAvailableAt;
    this.data = details.data;
    this.headers = details.headers ?? {};
  }

  /** What answers of GraphQL tell beside the message (graphql-js reads it by this name), and errors of messages. */
  get extensions(): object {
    return {
      code: this.code,
      ...(this.fields && { errors: this.fields }),
      ...(this.retryAfterSeconds !== undefined && { retry_after: this.retryAfterSeconds }),
    };
  }

  /** A 422 for one field, in the shape of the validation pipe's own. */
  static invalidField(field: string, message: string): ApiError {
    return new ApiError('validation_failed', { fields: [{ field, message }] });
  }
}
