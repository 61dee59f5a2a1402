import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { accessOf } from '../access-of.js';
import { bearerToken, JwtStrategy } from './jwt.strategy.js';

/** Authenticates the bearer where the route asks for one. */
@Injectable()
export class JwtAuthGuard extends AuthGuard() {
  constructor(
    private readonly reflector: Reflector,
    strategy: JwtStrategy,
  ) {
    super({ defaultStrategy: strategy.registeredAs });
  }

  override canActivate(context: ExecutionContext) {
    if (!accessOf(this.reflector, context).bearer) return true;
    if (!bearerToken(context.switchToHttp().getRequest<FastifyRequest>()))
      throw new ApiError('authentication_required');
    return super.canActivate(context);
  }

  override handleRequest<T>(error: unknown, principal: T | false, info: unknown): T {
    if (error) throw error;
    if (!principal) throw new ApiError('token_invalid', { cause: info });
    return principal;
  }
}
