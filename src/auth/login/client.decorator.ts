import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../../common/http/index.js';
import { userAgentOf } from '../../login-history/index.js';

/** The address and device from which a person logs in. */
export interface Client {
  ip: string;
  userAgent: string | undefined;
}

export const CurrentClient = createParamDecorator((_data: unknown, context: ExecutionContext): Client => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { ip: clientAddress(request), userAgent: userAgentOf(request.headers['user-agent']) };
});
