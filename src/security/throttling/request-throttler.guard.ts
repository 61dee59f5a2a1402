import { type ExecutionContext, Injectable } from '@nestjs/common';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LimitClass } from '../../common/access/index.js';
import { ApiError } from '../../common/errors/index.js';
import { addressBucket, clientAddress } from '../../common/http/index.js';
import type { Config, RateLimit } from '../../infrastructure/config/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../access-of.js';

/**
 * Throttles per address: each `/auth` endpoint by a counter of its own, all other routes by one together. The key is
 * the route and not the URL, which can be written in many ways. Limits are told on success too
 * (draft-ietf-httpapi-ratelimit-headers-11).
 */
@Injectable()
export class RequestThrottlerGuard extends ThrottlerGuard {
  private readonly refusals;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    metrics: Metrics,
  ) {
    super(options, storage, reflector);
    this.refusals = metrics.counters('rate_limit_refusals_total', 'Requests over a limit', 'limit', [
      'auth',
      'general',
    ]);
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(accessOf(this.reflector, context).limit === 'none');
  }

  protected override async handleRequest({
    context,
    limit,
    ttl,
    throttler,
    blockDuration,
  }: ThrottlerRequest): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const name = accessOf(this.reflector, context).limit;
    const key = throttlingKey(name, context, addressBucket(clientAddress(request)));
    const record = await this.storageService.increment(key, ttl, limit, blockDuration, throttler.name ?? name);

    const remaining = Math.max(0, limit - record.totalHits);
    reply.header('ratelimit-policy', `"${name}";q=${limit};w=${Math.ceil(ttl / 1000)}`);
    reply.header('ratelimit', `"${name}";r=${remaining};t=${record.timeToExpire}`);
    if (!record.isBlocked) return true;
    this.refusals[name === 'auth' ? 'auth' : 'general'].inc();
    throw new ApiError(name === 'auth' ? 'too_many_login_attempts' : 'too_many_requests', {
      retryAfterSeconds: record.timeToBlockExpire,
    });
  }
}

function throttlingKey(name: LimitClass, context: ExecutionContext, bucket: string): string {
  const scope = name === 'auth' ? `auth:${context.getClass().name}.${context.getHandler().name}` : name;
  return `throttle:${scope}:${bucket}`;
}

/** One throttler whose numbers follow from the access of the route. */
export function throttlersOf(config: Config, reflector: Reflector): Extract<ThrottlerModuleOptions, unknown[]> {
  const rateLimit = (context: ExecutionContext): RateLimit =>
    config.limits[accessOf(reflector, context).limit === 'auth' ? 'auth' : 'general'];
  return [
    { name: 'default', limit: (context) => rateLimit(context).limit, ttl: (context) => rateLimit(context).windowMs },
  ];
}
