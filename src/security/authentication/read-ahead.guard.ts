import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { REDIS, type RedisConnection } from '../../infrastructure/redis/index.js';
import { accessOf } from '../access-of.js';
import { ApiKeys } from '../api-keys/api-keys.js';
import { bearerToken, JwtStrategy } from '../tokens/jwt.strategy.js';
import { Authenticator } from './authenticator.js';

/**
 * Refuses nobody: begins to read from Redis what the guards after the limiter will need, together with the limiter's own command,
 * in one round trip instead of three. It does so only for tokens whose signature was verified before, that is from their second
 * request on this instance on; ids of unverified tokens are never looked up.
 */
@Injectable()
export class ReadAheadGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(REDIS) private readonly redis: RedisConnection | null,
    private readonly apiKeys: ApiKeys,
    private readonly tokens: JwtStrategy,
    private readonly authenticator: Authenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.redis) return true;
    const { apiKey, bearer } = accessOf(this.reflector, context);
    if (!apiKey && !bearer) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = request.headers['x-api-key'];
    if (apiKey && typeof key === 'string') this.apiKeys.readAhead(key);
    const token = bearer ? bearerToken(request) : null;
    const decoded = token && this.tokens.recall(token);
    if (decoded) this.authenticator.readAhead(decoded.payload as { id: string; sid: string });
    return true;
  }
}
