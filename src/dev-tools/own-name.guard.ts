import { isIP } from 'node:net';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/index.js';

/**
 * Serves `/dev` under names that only this machine gives itself. A name that somebody else's DNS points here (DNS
 * rebinding) would make their page of one origin with the kit, and able to read and move everything. Such a page can send
 * `X-Forwarded-Host`, which counts behind a proxy: `Host` is the browser's own, and has to be right as well.
 */
@Injectable()
export class OwnNameGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { hostname, headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const called = (headers.host ?? '').replace(/:\d+$/, '');
    if (isOwnName(hostname) && isOwnName(called)) return true;
    throw new ApiError('not_found');
  }
}

function isOwnName(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}
