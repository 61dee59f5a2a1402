import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/index.js';
import { ACCESS, type Access, type LimitClass, type RateLimit, type Role } from './access.js';

/** Extension under which an operation's error codes travel to the OpenAPI document; it is removed there. */
export const ERROR_CODES_EXTENSION = 'x-error-codes';
export const API_KEY_SCHEME = 'api_key';
export const BEARER_SCHEME = 'bearer';

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

/** No credentials. */
export const Public = ({ limit = 'general', errors = [] }: AccessOptions = {}) =>
  access({ apiKey: false, bearer: false, roles: [], limit }, errors);

/** A bearer token; no API key. For `/auth` routes that act on the caller's session. */
export const Authenticated = ({ limit = 'general', errors = [] }: AccessOptions = {}) =>
  access({ apiKey: false, bearer: true, roles: [], limit }, errors);

/**
 * API key and bearer token: the ordinary route of an application.
 * @param options.roles of which the account must have one; the role is read from storage at each request
 */
export const Protected = ({ limit = 'general', errors = [], roles = [] }: AccessOptions & { roles?: Role[] } = {}) =>
  access({ apiKey: true, bearer: true, roles, limit }, errors);

/** API key, and the bearer token of an administrator. */
export const AdminOnly = (options: AccessOptions = {}) => Protected({ ...options, roles: ['admin'] });

/** API key alone: for callers that are services and not people. */
export const ApiKeyOnly = ({ limit = 'general', errors = [] }: AccessOptions = {}) =>
  access({ apiKey: true, bearer: false, roles: [], limit }, errors);

function access(access: Access, errors: ErrorCode[]): MethodDecorator & ClassDecorator {
  refuseUnfitLimit(access.limit);
  const codes: ErrorCode[] = [...errors];
  if (access.apiKey) codes.push('invalid_api_key');
  if (access.bearer) codes.push('authentication_required', ...TOKEN_ERRORS);
  if (access.roles.length > 0) codes.push('role_required');
  if (access.limit === 'auth') codes.push('too_many_login_attempts');
  else if (access.limit !== 'none') codes.push('too_many_requests');
  return applyDecorators(
    refuseSecond,
    SetMetadata(ACCESS, access),
    ApiExtension(ERROR_CODES_EXTENSION, codes),
    ...securityRequirement(access),
  );
}

/** One requirement object with both schemes means "and"; two decorators would mean "or". */
function securityRequirement({ apiKey, bearer }: Access) {
  if (apiKey && bearer) return [ApiSecurity({ [API_KEY_SCHEME]: [], [BEARER_SCHEME]: [] })];
  if (apiKey) return [ApiSecurity(API_KEY_SCHEME)];
  return bearer ? [ApiBearerAuth(BEARER_SCHEME)] : [];
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
