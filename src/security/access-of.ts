import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../common/access/index.js';

/** What holds for a route that says nothing: closed. (Such a route is also refused at the start.) */
const CLOSED: Access = { apiKey: true, bearer: true, role: 'admin', limit: 'general' };

/** The access of the route at hand; the handler's word counts before its class's. */
export function accessOf(reflector: Reflector, context: ExecutionContext): Access {
  return reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]) ?? CLOSED;
}
