import { type ExecutionContext, Injectable, Optional } from '@nestjs/common';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { addressBucket, clientAddress, currentRequest } from '../../common/http/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../access-of.js';
import { SecurityEvents } from '../events/security-events.js';
import { LimitNamespaces } from './limit-namespaces.js';
import { throttlingKey } from './throttling-key.js';

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
    private readonly events: SecurityEvents,
    { limits }: Config,
    metrics: Metrics,
    @Optional() private readonly namespaces?: LimitNamespaces,
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
    const { limit: name } = accessOf(this.reflector, context);
    if (name === 'none') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { limit, windowMs } = this.limits[name];
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    const namespace = this.namespaces?.of(request) ?? null;
    const key = throttlingKey(name, route, addressBucket(clientAddress(request)), namespace);
    const record = await this.storageService.increment(key, windowMs, limit, 0, name);

    const remaining = Math.max(0, limit - record.totalHits);
    reply.header('ratelimit-policy', `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`);
    reply.header('ratelimit', `"${name}";r=${remaining};t=${record.timeToExpire}`);
    const current = name === 'auth' ? currentRequest() : undefined;
    if (current) current.requestsRemaining = remaining;
    if (!record.isBlocked) return true;
    this.refusals[name].inc();
    const code = name === 'auth' ? 'too_many_login_attempts' : 'too_many_requests';
    // Once for each counter and window: whoever goes on regardless is not to fill the record.
    if (record.totalHits === limit + 1) {
      const detail = `${code} ${request.routeOptions.url}`;
      this.events.record({ kind: 'excess_rate_limit_exceeded', outcome: 'failure', detail });
    }
    throw new ApiError(code, { retryAfterSeconds: record.timeToBlockExpire });
  }
}
