import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthRecord } from './auth-record.js';

/** Who makes the request, and in which session. */
export interface Principal {
  userId: string;
  sessionId: string;
  record: AuthRecord;
}

/** The caller of a route that asks for a bearer. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<{ user: Principal }>().user,
);
