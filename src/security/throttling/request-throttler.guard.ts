import { type ExecutionContext, Injectable, Optional } from '@nestjs/common';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { addressBucket, clientAddress, currentRequest } from '../../common/http/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../access-of.js';
import { SecurityEvents } from '../events/security-events.js';
import { LimitNamespaces } from './limit-namespaces.js';
import type { RequestCounter } from './request-counter.js';
import type { ThrottlerRecord } from './throttler-record.js';
import { throttlingKey } from './throttling-key.js';

type CountedLimit = keyof Config['limits'];

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
    @InjectThrottlerStorage() private readonly counter: RequestCounter,
    reflector: Reflector,
    private readonly events: SecurityEvents,
    { limits }: Config,
    metrics: Metrics,
    @Optional() private readonly namespaces?: LimitNamespaces,
  ) {
    super(options, counter, reflector);
    this.limits = limits;
    this.refusals = metrics.counters('rate_limit_refusals_total', 'Requests over a limit', 'limit', [
      'auth',
      'general',
    ]);
  }

  /** The library's own reads seven decorators for every request; here the route's access says everything. */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { limit } = accessOf(this.reflector, context);
    // Nest takes either; the library's type knows promises alone.
    return (limit === 'none' ? true : this.admit(context, limit)) as Promise<boolean>;
  }

  private admit(context: ExecutionContext, name: CountedLimit): Promisable<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { limit, windowMs } = this.limits[name];
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    const namespace = this.namespaces?.of(request) ?? null;
    const key = throttlingKey(name, route, addressBucket(clientAddress(request)), namespace);
    return andThen(this.counter.count(key, windowMs, limit), (record) => {
      const remaining = Math.max(0, limit - record.totalHits);
      reply.header('ratelimit-policy', `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`);
      reply.header('ratelimit', `"${name}";r=${remaining};t=${record.timeToExpire}`);
      const current = name === 'auth' ? currentRequest() : undefined;
      if (current) current.requestsRemaining = remaining;
      if (!record.isBlocked) return true;
      throw this.refusal(name, record, request);
    });
  }

  private refusal(
    name: CountedLimit,
    { totalHits, timeToBlockExpire }: ThrottlerRecord,
    request: FastifyRequest,
  ): ApiError {
    this.refusals[name].inc();
    const code = name === 'auth' ? 'too_many_login_attempts' : 'too_many_requests';
    // Once for each counter and window: whoever goes on regardless is not to fill the record.
    if (totalHits === this.limits[name].limit + 1) {
      const detail = `${code} ${request.routeOptions.url}`;
      this.events.record({ kind: 'excess_rate_limit_exceeded', outcome: 'failure', detail });
    }
    return new ApiError(code, { retryAfterSeconds: timeToBlockExpire });
  }
}
