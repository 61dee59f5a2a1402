import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../common/access/index.js';

/** Access of a route without an access decorator: closed. (The service also refuses to start with such a route.) */
const CLOSED: Access = { apiKey: true, bearer: true, roles: ['admin'], limit: 'general' };

/** Messages over a WebSocket: access was decided when the gateway accepted the connection. */
const MESSAGE: Access = { apiKey: false, bearer: false, roles: [], limit: 'none' };

const known = new WeakMap<object, Map<object, Access>>();

/**
 * The access of a route; a decorator on the handler overrides one on its class. Remembered, since every guard asks for it.
 * @throws Error for what is neither a route nor open to everybody, such as a resolver of GraphQL: the guards read HTTP requests
 */
export function accessOf(reflector: Reflector, context: ExecutionContext): Access {
  const type = context.getType<string>();
  if (type === 'ws') return MESSAGE;
  const controller = context.getClass();
  let ofController = known.get(controller);
  if (!ofController) known.set(controller, (ofController = new Map()));
  const handler = context.getHandler();
  let access = ofController.get(handler);
  if (!access) ofController.set(handler, (access = readAccess(reflector, context)));
  if (type !== 'http' && !isOpen(access)) {
    const called = `${controller.name}.${handler.name}`;
    throw new Error(`${called} is no route, whose credentials and limits are checked: add @Public({ limit: 'none' })`);
  }
  return access;
}

function isOpen({ apiKey, bearer, limit }: Access): boolean {
  return !apiKey && !bearer && limit === 'none';
}

function readAccess(reflector: Reflector, context: ExecutionContext): Access {
  return reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]) ?? CLOSED;
}
