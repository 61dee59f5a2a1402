import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AccountFacts } from './account-reader.js';

/** Who makes the request, and in which session. */
export interface Principal extends AccountFacts {
  userId: string;
  sessionId: string;
}

/** A request that a route's guards let in, where the route asks for a bearer. */
export interface AuthenticatedRequest {
  user: Principal;
}

/** The caller of a route that asks for a bearer. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().user,
);
