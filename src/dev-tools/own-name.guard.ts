import { isIP } from 'node:net';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/index.js';

/**
 * Serves `/dev` only under host names of this machine itself, against DNS rebinding: a page whose host name an attacker's DNS points
 * here would have the same origin as the kit, and could read and change everything. Such a page can set `X-Forwarded-Host`, which
 * is trusted behind a proxy; the browser itself sets `Host`, so that is checked too.
 */
@Injectable()
export class OwnNameGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { hostname, headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const called = (headers.host ?? '').replace(/:\d*$/, '');
    if (isOwnName(hostname) && isOwnName(called)) return true;
    throw new ApiError('not_found');
  }
}

function isOwnName(host: string): boolean {
  // A name may be written in capitals, and end in a dot (RFC 9110 section 4.2.3, RFC 1034 section 3.1).
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}
