var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import { ApiError } from '../../common/errors/index.js';
import { addressBucket, clientAddress } from '../../common/http/index.js';
import { accessOf } from '../access-of.js';
/**
 * Throttles per address: each `/auth` endpoint by a counter of its own, all other routes by one together. The key is
 * the route and not the URL, which can be written in many ways. Limits are told on success too
 * (draft-ietf-httpapi-ratelimit-headers-11).
 */
let RequestThrottlerGuard = class RequestThrottlerGuard extends ThrottlerGuard {
    shouldSkip(context) {
        return Promise.resolve(accessOf(this.reflector, context).limit === 'none');
    }
    async handleRequest({ context, limit, ttl, throttler, blockDuration, }) {
        const request = context.switchToHttp().getRequest();
        const reply = context.switchToHttp().getResponse();
        const name = accessOf(this.reflector, context).limit;
        const key = throttlingKey(name, context, addressBucket(clientAddress(request)));
        const record = await this.storageService.increment(key, ttl, limit, blockDuration, throttler.name ?? name);
        const remaining = Math.max(0, limit - record.totalHits);
        reply.header('ratelimit-policy', `"${name}";q=${limit};w=${Math.ceil(ttl / 1000)}`);
        reply.header('ratelimit', `"${name}";r=${remaining};t=${record.timeToExpire}`);
        if (!record.isBlocked)
            return true;
        throw new ApiError(name === 'auth' ? 'too_many_login_attempts' : 'too_many_requests', {
            retryAfterSeconds: record.timeToBlockExpire,
        });
    }
};
RequestThrottlerGuard = __decorate([
    Injectable()
], RequestThrottlerGuard);
export { RequestThrottlerGuard };
function throttlingKey(name, context, bucket) {
    const scope = name === 'auth' ? `auth:${context.getClass().name}.${context.getHandler().name}` : name;
    return `throttle:${scope}:${bucket}`;
}
/** One throttler whose numbers follow from the access of the route. */
export function throttlersOf(config, reflector) {
    const rateLimit = (context) => config.limits[accessOf(reflector, context).limit === 'auth' ? 'auth' : 'general'];
    return [
        { name: 'default', limit: (context) => rateLimit(context).limit, ttl: (context) => rateLimit(context).windowMs },
    ];
}
//# sourceMappingURL=request-throttler.guard.js.map