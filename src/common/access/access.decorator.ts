import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/index.js';
import { ACCESS, type Access, type LimitClass, type RateLimit, type Role } from './access.js';

/**
 * Extensions under which an operation's access and error codes travel to the OpenAPI document, where they are removed. Of these
 * the handler's replace those of its controller, as the guards have it; decorators for `security` would add to them.
 */
export const ACCESS_EXTENSION = 'x-access';
export const ERROR_CODES_EXTENSION = 'x-error-codes';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

interface AccessOptions {
  limit?: LimitClass | RateLimit;
  /** What this operation answers beyond the errors that follow from its access. */
  errors?: ErrorCode[];
}

/** The codes with which a bearer token is refused. */
export const TOKEN_ERRORS: ErrorCode[] = [
  'token_invalid',
  'token_expired',
  'session_revoked',
  'logged_out',
  'refresh_token_reused',
  'password_changed',
  'reported_not_me',
  'account_disabled',
];

/** The codes with which a route refuses a request without the credentials that it asks for. */
export function credentialErrors({ apiKey, bearer }: Pick<Access, 'apiKey' | 'bearer'>): ErrorCode[] {
  const ofBearer: ErrorCode[] = ['authentication_required', ...TOKEN_ERRORS];
  return [...(apiKey ? ['invalid_api_key' as const] : []), ...(bearer ? ofBearer : [])];
}

/** No credentials. */
export const Public = (options: AccessOptions = {}) => access({ ...options, apiKey: false, bearer: false });

/** A bearer token; no API key. For `/auth` routes that act on the caller's session. */
export const Authenticated = (options: AccessOptions = {}) => access({ ...options, apiKey: false, bearer: true });

/**
 * API key and bearer token: the ordinary route of an application.
 * @param options.roles of which the account must have one; the role is read from storage at each request
 */
export const Protected = (options: AccessOptions & { roles?: Role[] } = {}) =>
  access({ ...options, apiKey: true, bearer: true });

/** API key, and the bearer token of an administrator. */
export const AdminOnly = (options: AccessOptions = {}) => Protected({ ...options, roles: ['admin'] });

/** API key alone: for callers that are services and not people. */
export const ApiKeyOnly = (options: AccessOptions = {}) => access({ ...options, apiKey: true, bearer: false });

function access({
  errors = [],
  limit = 'general',
  roles = [],
  ...credentials
}: AccessOptions & Partial<Access> & Pick<Access, 'apiKey' | 'bearer'>): MethodDecorator & ClassDecorator {
  refuseUnfitLimit(limit);
  const codes = [...errors, ...credentialErrors(credentials)];
  if (roles.length > 0) codes.push('role_required');
  if (limit === 'auth') codes.push('too_many_login_attempts');
  else if (limit !== 'none') codes.push('too_many_requests');
  const access: Access = { ...credentials, roles, limit };
  return applyDecorators(
    refuseSecond,
    SetMetadata(ACCESS, access),
    ApiExtension(ACCESS_EXTENSION, access),
    ApiExtension(ERROR_CODES_EXTENSION, codes),
  );
}

/** Redis and the `RateLimit` headers take whole numbers only; a window has an upper bound, so that no counter is kept for ever. */
function refuseUnfitLimit(limit: Access['limit']): void {
  if (typeof limit !== 'object') return;
  const { quota, windowMs } = limit;
  const isFit =
    [quota, windowMs].every(Number.isSafeInteger) && quota >= 1 && windowMs >= SECOND_MS && windowMs <= DAY_MS;
  if (!isFit)
    throw new Error(`A limit of ${quota} requests in ${windowMs} ms: whole numbers, from 1, and of a second to a day`);
}

/** With two access decorators on one route, the guards would follow one, while the OpenAPI document would show both. */
function refuseSecond(target: object, name?: string | symbol, descriptor?: PropertyDescriptor): void {
  const decorated = (descriptor?.value ?? target) as object;
  if (!Reflect.hasOwnMetadata(ACCESS, decorated)) return;
  const route = name ? `${target.constructor.name}.${String(name)}` : (target as { name: string }).name;
  throw new Error(`${route} says twice who may call it: keep one of its access decorators.`);
}
