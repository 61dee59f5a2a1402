import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { accessOf } from '../access-of.js';

/** Checks `x-api-key` where the route asks for it. With no key configured, such routes refuse everybody. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!accessOf(this.reflector, context).apiKey) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const given = request.headers['x-api-key'];
    const digest = createHash('sha256')
      .update(typeof given === 'string' ? given : '')
      .digest();
    // Every key is compared, in constant time: neither a key's place in the list nor its beginning can be measured.
    let isKnown = false;
    for (const key of this.config.apiKeys) isKnown = timingSafeEqual(key.digest, digest) || isKnown;
    if (!isKnown) throw new ApiError('invalid_api_key');
    return true;
  }
}
