import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Promisable } from '../promisable/index.js';
import { clientAddress } from './client-address.js';

/** Where a piece of work comes from, for whatever records it deep below. */
export interface RequestContext {
  requestId: string;
  /** The caller's address. */
  ip: string;
  /** The calling application, once its API key was found good. */
  apiKeyName?: string;
  /** The account whose token the request bears, once it was found good. */
  callerId?: string;
  /** What the limit of an `/auth` route leaves to the caller in the present window. */
  requestsRemaining?: number;
  /** Cached records on their way, by key: what was asked for together, and the place in it. */
  recordsAhead?: Map<string, { batch: { values: Promisable<unknown[]> }; place: number }>;
}

const CONTEXT = Symbol('request context');
type RequestWithContext = FastifyRequest & { [CONTEXT]?: RequestContext };

const storage = new AsyncLocalStorage<RequestContext>();

/** The request at hand; undefined in work that no request caused. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** For what runs once a request is answered: then that of the connection may be at hand, or of the answer before. */
export function contextOf(request: RequestWithContext): RequestContext | undefined {
  return request[CONTEXT];
}

export function keepRequestContext(server: FastifyInstance): void {
  server.decorateRequest(CONTEXT);
  server.addHook('onRequest', (request: RequestWithContext, _reply, done) => {
    request[CONTEXT] = { requestId: request.id, ip: clientAddress(request) };
    storage.run(request[CONTEXT], done);
  });
  // Between the two a body is read from the socket, whose events run in the context of the connection.
  server.addHook('preValidation', (request: RequestWithContext, _reply, done) => {
    const context = request[CONTEXT] as RequestContext;
    if (storage.getStore() === context) done();
    else storage.run(context, done);
  });
}
