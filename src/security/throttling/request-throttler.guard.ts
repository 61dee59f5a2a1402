import { type ExecutionContext, Injectable } from '@nestjs/common';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LimitClass } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { addressBucket, clientAddress, currentRequest } from '../../common/http/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../access-of.js';
import { RecordsAhead } from '../authentication/records-ahead.js';

/**
 * Throttles per address: each `/auth` endpoint by a counter of its own, all other routes by one together. The key is
 * the route and not the URL, which can be written in many ways. Limits are told on success too
 * (draft-ietf-httpapi-ratelimit-headers-11).
 */
@Injectable()
export class RequestThrottlerGuard extends ThrottlerGuard {
  private readonly limits: Config['limits'];
  private readonly refusals;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly recordsAhead: RecordsAhead,
    { limits }: Config,
    metrics: Metrics,
  ) {
    super(options, storage, reflector);
    this.limits = limits;
    this.refusals = metrics.counters('rate_limit_refusals_total', 'Requests over a limit', 'limit', [
      'auth',
      'general',
    ]);
  }

  /** The library's own reads seven decorators for every request; here the route's access says everything. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(this.reflector, context);
    const { limit: name } = access;
    if (name === 'none') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    this.recordsAhead.read(request, access);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { limit, windowMs } = this.limits[name];
    const key = throttlingKey(name, context, addressBucket(clientAddress(request)));
    const record = await this.storageService.increment(key, windowMs, limit, 0, name);

    const remaining = Math.max(0, limit - record.totalHits);
    reply.header('ratelimit-policy', `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`);
    reply.header('ratelimit', `"${name}";r=${remaining};t=${record.timeToExpire}`);
    const current = name === 'auth' ? currentRequest() : undefined;
    if (current) current.requestsRemaining = remaining;
    if (!record.isBlocked) return true;
    this.refusals[name].inc();
    throw new ApiError(name === 'auth' ? 'too_many_login_attempts' : 'too_many_requests', {
      retryAfterSeconds: record.timeToBlockExpire,
    });
  }
}

function throttlingKey(name: LimitClass, context: ExecutionContext, bucket: string): string {
  const scope = name === 'auth' ? `auth:${context.getClass().name}.${context.getHandler().name}` : name;
  return `throttle:${scope}:${bucket}`;
}
