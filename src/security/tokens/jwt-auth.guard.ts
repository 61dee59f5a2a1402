import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { andThen, type Promisable } from '../../common/promisable/index.js';
import { accessOf } from '../access-of.js';
import type { AuthenticatedRequest } from '../authentication/principal.js';
import { bearerToken, JwtStrategy } from './jwt.strategy.js';
import type { DecodedToken } from './token-codec.js';

/** Verifies the bearer token on routes that require one. */
@Injectable()
export class JwtAuthGuard extends AuthGuard() {
  constructor(
    private readonly reflector: Reflector,
    private readonly strategy: JwtStrategy,
  ) {
    super({ defaultStrategy: strategy.registeredAs });
  }

  override canActivate(context: ExecutionContext) {
    if (!accessOf(this.reflector, context).bearer) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = bearerToken(request);
    if (!token) throw new ApiError('authentication_required');
    const decoded = this.strategy.recall(token);
    // Passport would cost a third of the whole request, so only tokens that were not verified before go through it.
    return decoded ? this.authenticate(request, decoded) : super.canActivate(context);
  }

  private authenticate(
    request: FastifyRequest & Partial<AuthenticatedRequest>,
    decoded: DecodedToken,
  ): Promisable<boolean> {
    return andThen(this.strategy.principalOf(decoded), (principal) => {
      request.user = principal;
      return true;
    });
  }

  override handleRequest<T>(error: unknown, principal: T | false, info: unknown): T {
    if (error) throw error;
    if (!principal) throw new ApiError('token_invalid', { cause: info });
    return principal;
  }
}
