import { type ExecutionContext, Injectable, Optional } from '@nestjs/common';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../../common/errors/index.js';
import type { Access, RateLimit } from '../../common/access/index.js';
import { addressBucket, clientAddress, currentRequest, envelopeKindOf } from '../../common/http/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import { Config } from '../../infrastructure/config/index.js';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../access-of.js';
import { LimitNamespaces } from './limit-namespaces.js';
import { LimitRefusals } from './limit-refusals.js';
import type { RequestCounter, ThrottlerRecord } from './request-counter.js';
import { type RouteLimitName, throttlingKey } from './throttling-key.js';

/**
 * Throttles per address. Each `/auth` route, and each route with a limit of its own, has its own counter; all others share one.
 * Keyed by route, since a URL can be written in many ways. Limit headers are sent on success too
 * (draft-ietf-httpapi-ratelimit-headers-11).
 */
@Injectable()
export class RequestThrottlerGuard extends ThrottlerGuard {
  private readonly limits: Config['limits'];

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly counter: RequestCounter,
    reflector: Reflector,
    private readonly refusals: LimitRefusals,
    { limits }: Config,
    @Optional() private readonly namespaces?: LimitNamespaces,
  ) {
    super(options, counter, reflector);
    this.limits = limits;
  }

  /** Overrides the library's, which reads seven decorators at each request; here the route's access has everything. */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { limit } = accessOf(this.reflector, context);
    // Nest accepts a value as well as a promise; the library's type has promises only.
    return this.admitUnder(limit, context) as Promise<boolean>;
  }

  private admitUnder(limit: Access['limit'], context: ExecutionContext): Promisable<boolean> {
    if (limit === 'none') return true;
    if (typeof limit === 'object') return this.admit(context, 'route', limit);
    return this.admit(context, limit, this.limits[limit]);
  }

  private admit(context: ExecutionContext, name: RouteLimitName, { quota, windowMs }: RateLimit): Promisable<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    const namespace = this.namespaces?.of(request) ?? null;
    const key = throttlingKey(name, route, addressBucket(clientAddress(request)), namespace);
    return andThen(this.counter.count(key, windowMs, quota), (record) => {
      const remaining = Math.max(0, quota - record.totalHits);
      reply.header('ratelimit-policy', `"${name}";q=${quota};w=${Math.ceil(windowMs / 1000)}`);
      reply.header('ratelimit', `"${name}";r=${remaining};t=${record.timeToExpire}`);
      const current = name === 'general' ? undefined : currentRequest();
      if (current) current.requestsRemaining = remaining;
      if (!record.isBlocked) return true;
      throw this.refusal(name, record, quota, request);
    });
  }

  private refusal(limit: RouteLimitName, record: ThrottlerRecord, quota: number, request: FastifyRequest): ApiError {
    const path = request.routeOptions.url as string;
    const isOfAuth = limit === 'auth' && envelopeKindOf(path) === 'auth';
    const code = isOfAuth ? 'too_many_login_attempts' : 'too_many_requests';
    const isFirst = record.totalHits === quota + 1;
    return this.refusals.record({ limit, code, detail: `${code} ${path}` }, record, isFirst);
  }
}
