import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.js';

/** Where a piece of work comes from, for whatever records it deep below. */
export interface RequestContext {
  requestId: string;
  /** The caller's address. */
  ip: string;
  /** The calling application, once its API key was found good. */
  apiKeyName?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** The request at hand; undefined in work that no request caused. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

export function keepRequestContext(server: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, RequestContext>();
  server.addHook('onRequest', (request, _reply, done) => {
    const context = { requestId: request.id, ip: clientAddress(request) };
    contexts.set(request, context);
    storage.run(context, done);
  });
  // Between the two a body is read from the socket, whose events run in the context of the connection.
  server.addHook('preValidation', (request, _reply, done) => {
    storage.run(contexts.get(request) as RequestContext, done);
  });
}
