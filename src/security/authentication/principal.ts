import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AccountFacts } from './account-reader.js';

/** The account that makes the request, and its session. */
export interface Principal extends AccountFacts {
  userId: string;
  sessionId: string;
}

/** A request that has passed the guards of a route that requires a bearer token. */
export interface AuthenticatedRequest {
  user: Principal;
}

const principalOf = (_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<AuthenticatedRequest>().user;

/** Parameter decorator: the caller of a route that requires a bearer token. */
export const CurrentPrincipal = createParamDecorator(principalOf);

/** @param factory of a parameter's decorator */
export function isPrincipal(factory: unknown): boolean {
  return factory === principalOf;
}
