import {
  ApiError,
  ERROR_CATALOGUE,
  ERROR_CODES,
  type ErrorCode,
  type FieldError,
  GUESS_ERRORS,
} from '../errors/index.js';
import { type EnvelopeKind, errorBody } from '../http/index.js';
import type { ErrorExample } from './openapi-types.js';

const KINDS: EnvelopeKind[] = ['auth', 'resource'];

/**
 * Examples of errors in both envelopes, made by the code that makes the real ones.
 * @param paths examples that no answer of these paths refers to are left out
 */
export function errorExamples(paths: object): Record<string, ErrorExample> {
  const text = JSON.stringify(paths);
  const all = KINDS.flatMap((kind) => ERROR_CODES.map((code) => ({ kind, code })));
  const used = all.filter(({ kind, code }) => text.includes(`"${errorExampleRef(kind, code).$ref}"`));
  return Object.fromEntries(
    used.map(({ kind, code }) => [exampleName(kind, code), toExample(kind, exampleError(code))]),
  );
}

export function errorExampleRef(kind: EnvelopeKind, code: ErrorCode): { $ref: string } {
  return { $ref: `#/components/examples/${exampleName(kind, code)}` };
}

/** An example of the 422 of one operation. */
export function mistakeExample(kind: EnvelopeKind, mistake: FieldError): ErrorExample {
  return toExample(kind, new ApiError('validation_failed', { fields: [mistake] }));
}

function toExample(kind: EnvelopeKind, error: ApiError): ErrorExample {
  return { summary: error.message, value: errorBody(kind, error, attemptsLeft(kind, error.code)) };
}

function exampleName(kind: EnvelopeKind, code: ErrorCode): string {
  return `${kind}.${code}`;
}

function exampleError(code: ErrorCode): ApiError {
  const { status } = ERROR_CATALOGUE[code];
  if (code === 'validation_failed') return ApiError.invalidField('email', 'email must be a valid e-mail address');
  if (code === 'email_not_verified') {
    return new ApiError(code, { email: 'ada@example.com', resendAvailableAt: new Date('2026-01-31T09:31:00.000Z') });
  }
  return new ApiError(code, status === 429 ? { retryAfterSeconds: 873 } : {});
}

function attemptsLeft(kind: EnvelopeKind, code: ErrorCode): number | undefined {
  return kind === 'auth' && GUESS_ERRORS.includes(code) ? 4 : undefined;
}
