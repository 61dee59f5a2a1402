import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../common/access/index.js';

/** What holds for a route that says nothing: closed. (Such a route is also refused at the start.) */
const CLOSED: Access = { apiKey: true, bearer: true, roles: ['admin'], limit: 'general' };

/** Whoever sends messages over a WebSocket was let in with the connection, by its gateway. */
const MESSAGE: Access = { apiKey: false, bearer: false, roles: [], limit: 'none' };

const known = new WeakMap<object, Map<object, Access>>();

/** The access of the route at hand; the handler's word counts before its class's. It is read once: every guard asks for it. */
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
