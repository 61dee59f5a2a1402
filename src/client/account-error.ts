/** The body of a refusal. */
export interface Refusal {
  code?: string;
  message?: string;
  errors?: { field: string; message: string }[];
  retry_after?: number;
  attempts_remaining?: number;
  email?: string;
  resend_available_at?: string;
}

/** A refusal. Branch on `code`; `message` is the service's text for people, or the code again where the service said nothing. */
export class AccountError<Code extends string = string> extends Error {
  /** A code of the document's closed list (`ErrorCode`); `unknown` if something else than the service answered. */
  readonly code: Code;
  /** What is wrong with which field, with `validation_failed`. */
  readonly errors: { field: string; message: string }[];
  /** Seconds after which the same request can succeed, by the service's word; what a proxy in between says is not read. */
  readonly retryAfter: number | undefined;
  /** Requests left to this operation, after a wrong guess. */
  readonly attemptsRemaining: number | undefined;
  /** The address that is to be confirmed, with `email_not_verified`. */
  readonly email: string | undefined;
  /** From when on another code can be requested (RFC 3339, by the clock of the service); the same. */
  readonly resendAvailableAt: string | undefined;

  constructor(
    /** HTTP status; 0 if nothing was sent, because there is no session. */
    readonly status: number,
    { code = 'unknown', message = code, errors = [], ...hints }: Refusal,
    /** Names the request in the service's logs. */
    readonly requestId: string | null = null,
  ) {
    super(message);
    this.name = 'AccountError';
    this.code = code as Code;
    this.errors = errors;
    this.retryAfter = hints.retry_after;
    this.attemptsRemaining = hints.attempts_remaining;
    this.email = hints.email;
    this.resendAvailableAt = hints.resend_available_at;
  }
}
