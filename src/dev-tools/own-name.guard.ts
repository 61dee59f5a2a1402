import { isIP } from 'node:net';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/index.js';

/**
 * Serves `/dev` under names that only this machine gives itself. A name that somebody else's DNS points here (DNS
 * rebinding) would make their page of one origin with the kit, and able to read and move everything.
 */
@Injectable()
export class OwnNameGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { hostname } = context.switchToHttp().getRequest<FastifyRequest>();
    const name = hostname.replace(/^\[|\]$/g, '');
    if (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0) return true;
    throw new ApiError('not_found');
  }
}
