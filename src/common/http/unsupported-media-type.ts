import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media type of the body, in place of JSON; set by `@Operation()`. */
    consumes?: string;
    /** Bytes that a body may have, in place of the service's own limit; set by `@Operation()`. */
    bodyLimit?: number;
  }
}

/** Names the media type that the route accepts (RFC 9110 section 15.5.16). */
export function unsupportedMediaType(request: FastifyRequest): ApiError {
  const { consumes = 'application/json' } = request.routeOptions.config ?? {};
  return new ApiError('unsupported_media_type', { headers: { accept: consumes, 'accept-encoding': 'identity' } });
}
