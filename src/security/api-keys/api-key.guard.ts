import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { currentRequest } from '../../common/http/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import { accessOf } from '../access-of.js';
import { ApiKeys } from './api-keys.js';

/** Checks `x-api-key` on routes that require it. As long as no key exists, such routes refuse everybody. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeys,
  ) {}

  canActivate(context: ExecutionContext): Promisable<boolean> {
    if (!accessOf(this.reflector, context).apiKey) return true;
    const given = context.switchToHttp().getRequest<FastifyRequest>().headers['x-api-key'];
    if (typeof given !== 'string' || given === '') throw new ApiError('invalid_api_key');
    return andThen(this.apiKeys.nameOf(given), (name) => {
      if (name === null) throw new ApiError('invalid_api_key');
      const request = currentRequest();
      if (request) request.apiKeyName = name;
      return true;
    });
  }
}
