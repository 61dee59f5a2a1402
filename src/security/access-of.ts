import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../common/access/index.js';

/** Access of a route without an access decorator: closed. (The service also refuses to start with such a route.) */
const CLOSED: Access = { apiKey: true, bearer: true, roles: ['admin'], limit: 'general' };

/** Messages over a WebSocket: access was decided when the gateway accepted the connection. */
const MESSAGE: Access = { apiKey: false, bearer: false, roles: [], limit: 'none' };

const known = new WeakMap<object, Map<object, Access>>();

/** The access of a route; a decorator on the handler overrides one on its class. Remembered, since every guard asks for it. */
export function accessOf(reflector: Reflector, context: ExecutionContext): Access {
  if (context.getType() === 'ws') return MESSAGE;
  const controller = context.getClass();
  let ofController = known.get(controller);
  if (!ofController) known.set(controller, (ofController = new Map()));
  const handler = context.getHandler();
  let access = ofController.get(handler);
  if (!access) ofController.set(handler, (access = readAccess(reflector, context)));
  return access;
}

function readAccess(reflector: Reflector, context: ExecutionContext): Access {
  return reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]) ?? CLOSED;
}
