import { ERROR_CODES } from '../errors/index.js';
import { refTo } from './named-schemas.js';
import type { Headers, Schema } from './openapi-types.js';

/** Fields of an error beside code and message, the same in both envelopes. */
const HINTS = {
  errors: {
    type: 'array',
    description: 'With `validation_failed`: what is wrong with which field',
    items: refTo('FieldError'),
  },
  retry_after: {
    type: 'integer',
    minimum: 1,
    description:
      'With status 429 and 503: seconds after which a repetition can succeed, as in the header `Retry-After`',
    examples: [873],
  },
  attempts_remaining: {
    type: 'integer',
    minimum: 0,
    description:
      'After a wrong guess on `/auth`: requests that the limit of this operation leaves to the address. Not tries of a code, which is dead after five; and a login may be delayed sooner, with `too_many_login_attempts`',
    examples: [4],
  },
  email: {
    type: 'string',
    description:
      'With `email_not_verified`: the address that is to be confirmed, as it was registered; the login may have been by username',
    examples: ['ada@example.com'],
  },
  resend_available_at: {
    type: 'string',
    format: 'date-time',
    description:
      'With `email_not_verified`: from when on, by the clock of the header `Date`, `POST /auth/resend-otp` sends another code',
    examples: ['2026-01-31T09:31:00.000Z'],
  },
} satisfies Record<string, Schema>;

/** Schemas that no class stands for: the envelopes, and what is in them. */
export const SCHEMA_COMPONENTS: Record<string, Schema> = {
  ErrorCode: {
    type: 'string',
    enum: ERROR_CODES,
    description: 'Stable and machine-readable. No code is ever renamed or removed; newer releases may add some.',
    examples: ['validation_failed'],
  },
  FieldError: {
    type: 'object',
    required: ['field', 'message'],
    properties: {
      field: { type: 'string', description: 'Path of the field in the request', examples: ['email'] },
      message: { type: 'string', description: 'For people', examples: ['email must be a valid e-mail address'] },
    },
  },
  Pagination: {
    type: 'object',
    description: 'Where a page stands in its list. Pages beyond its end are empty.',
    required: ['total', 'page', 'limit', 'totalPages', 'hasNextPage', 'hasPrevPage'],
    properties: {
      total: {
        type: 'integer',
        minimum: 0,
        description:
          'Entries in the whole list. Where more than 1,000 follow this page in a filtered list, only so many of them are counted, and `totalPages` is that of these: page on while `hasNextPage`',
        examples: [1],
      },
      page: { type: 'integer', minimum: 1, examples: [1] },
      limit: { type: 'integer', minimum: 1, maximum: 100, examples: [20] },
      totalPages: { type: 'integer', minimum: 0, examples: [1] },
      hasNextPage: { type: 'boolean', examples: [false] },
      hasPrevPage: { type: 'boolean', examples: [false] },
    },
  },
  AuthError: {
    type: 'object',
    description: 'Every error of `/auth/*`.',
    required: ['status_code', 'status', 'code', 'message'],
    properties: {
      status_code: { type: 'integer', description: 'Same as the HTTP status', examples: [422] },
      status: { type: 'string', enum: ['ERROR'] },
      code: refTo('ErrorCode'),
      message: { type: 'string', description: 'For people' },
      ...HINTS,
    },
  },
  ResourceError: {
    type: 'object',
    description: 'Every error outside `/auth`.',
    required: ['error', 'code', 'message', 'data'],
    properties: {
      error: { type: 'boolean', const: true },
      code: refTo('ErrorCode'),
      message: { type: 'string', description: 'For people' },
      data: { type: ['object', 'null'], description: 'null, save where an answer says otherwise' },
      ...HINTS,
    },
  },
};

/** Names that no class may have which the document describes. */
export const OWN_SCHEMA_NAMES = Object.keys(SCHEMA_COMPONENTS);

export const HEADER_COMPONENTS: Headers = {
  RequestId: {
    description: 'Names this request in the logs; taken over from the request where it is well-formed.',
    schema: { type: 'string', examples: ['3f0d7f5e-8a53-4b0f-9a35-55a3e1d6f4a5'] },
  },
  RateLimit: {
    description: 'Requests left (`r`) and seconds until the window ends (`t`).',
    schema: { type: 'string', examples: ['"auth";r=4;t=900'] },
  },
  RateLimitPolicy: {
    description: 'Requests allowed (`q`) in a window of so many seconds (`w`).',
    schema: { type: 'string', examples: ['"auth";q=5;w=900'] },
  },
  RetryAfter: {
    description: 'Seconds after which a repetition can succeed.',
    schema: { type: 'integer', minimum: 1, examples: [873] },
  },
  WwwAuthenticate: {
    description: 'The challenge (RFC 9110 section 11.6.1, RFC 6750 section 3).',
    schema: { type: 'string', examples: ['Bearer realm="account-service", error="invalid_token"'] },
  },
};

/** Headers of every answer. */
export const COMMON_HEADERS: Headers = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

/** Headers of every answer of a limited route. */
export const LIMIT_HEADERS: Headers = {
  ratelimit: { $ref: '#/components/headers/RateLimit' },
  'ratelimit-policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

export function headersOfStatus(status: number): Headers {
  if (status === 401) return { 'www-authenticate': { $ref: '#/components/headers/WwwAuthenticate' } };
  if (status === 429 || status === 503) return { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };
  return {};
}

/** The hints that every error of this status has: generated clients have them as required fields. */
export function certainHintsOfStatus(status: number): Record<string, Schema> {
  if (status === 422) return { errors: HINTS.errors };
  if (status === 429 || status === 503) return { retry_after: HINTS.retry_after };
  return {};
}
