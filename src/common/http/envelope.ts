import type { ApiError, ErrorCode, FieldError } from '../errors/index.js';

/** The envelope of `/auth/*` (spec: "Response envelope"). */
export interface AuthEnvelope {
  status_code: number;
  status: 'SUCCESS' | 'ERROR';
  code?: ErrorCode;
  message: string;
  data?: unknown;
  errors?: FieldError[];
}

/** The envelope of every other route (spec: "A second envelope"). */
export interface ResourceEnvelope {
  error: boolean;
  code?: ErrorCode;
  message: string;
  data: unknown;
  errors?: FieldError[];
}

export type EnvelopeKind = 'auth' | 'resource';

/** Also decides for paths that no route serves, so that an unknown `/auth/x` answers like its neighbours. */
export function envelopeKindOf(url: string): EnvelopeKind {
  return /^(?:https?:\/\/[^/]*)?\/auth(?:[/?#]|$)/i.test(url) ? 'auth' : 'resource';
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

export function errorBody(kind: EnvelopeKind, error: ApiError): AuthEnvelope | ResourceEnvelope {
  const { code, message, fields: errors } = error;
  const details = errors ? { errors } : {};
  return kind === 'auth'
    ? { status_code: error.status, status: 'ERROR', code, message, ...details }
    : { error: true, code, message, data: error.data ?? null, ...details };
}
