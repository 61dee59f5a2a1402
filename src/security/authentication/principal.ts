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

/** Parameter decorator: the caller of a route that requires a bearer token. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().user,
);
