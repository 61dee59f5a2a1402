import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Promisable } from '../promisable/index.js';
import { clientAddress } from './client-address.js';
import { onEachEnd } from './on-each-end.js';

/** The request that caused a piece of work: for logs, security events and metrics, wherever they are written. */
export interface RequestContext {
  requestId: string;
  /** The caller's address. */
  ip: string;
  /** Whether it has been answered, or its caller is gone: nobody waits for what is still done for it. */
  isOver: boolean;
  /** Whether it was refused because it took too long. */
  isRefused: boolean;
  /**
   * When it is refused if it has no answer yet, in milliseconds of `performance.now()`. Undefined once its answer has begun, and for
   * routes that take the time they need.
   */
  dueMs?: number;
  /** Whether something is stored for it: what follows belongs to that, and is done though the answer comes too late. */
  hasStored: boolean;
  /** Name of the calling application's API key, once it was verified. */
  apiKeyName?: string;
  /** Account of the request's bearer token, once it was verified. */
  callerId?: string;
  /** What the route's role was granted for: whose session it is, and the roles of which the account must have one. */
  authority?: { userId: string; sessionId: string; roles: readonly string[] };
  /** Requests that a limit of the route's own, as each of `/auth` has, leaves to the caller in the present window. */
  requestsRemaining?: number;
  /** Cached records that were asked for ahead of their use, by key: the batch, and the record's place in it. */
  recordsAhead?: Map<string, { batch: { values: Promisable<unknown[]> }; place: number }>;
}

/** What the answer itself takes. */
const ANSWER_MS = 500;

const CONTEXT = Symbol('request context');
type RequestWithContext = FastifyRequest & { [CONTEXT]?: RequestContext };

const storage = new AsyncLocalStorage<RequestContext>();

/** The current request; undefined in work that no request caused. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** @returns for how long its answer can wait for something, in milliseconds; Infinity where nobody refuses it for that */
export function msToWait(): number {
  const { dueMs = Infinity } = currentRequest() ?? {};
  return dueMs - ANSWER_MS - performance.now();
}

/** For hooks that run after the answer, where {@link currentRequest} may be another request of the same connection, or none. */
export function contextOf(request: RequestWithContext): RequestContext | undefined {
  return request[CONTEXT];
}

export function keepRequestContext(server: FastifyInstance): void {
  server.decorateRequest(CONTEXT);
  server.addHook('onRequest', (request: RequestWithContext, _reply, done) => {
    request[CONTEXT] = {
      requestId: request.id,
      ip: clientAddress(request),
      isOver: false,
      isRefused: false,
      dueMs: undefined,
      hasStored: false,
    };
    storage.run(request[CONTEXT], done);
  });
  onEachEnd(server, (request: RequestWithContext) => {
    if (request[CONTEXT]) request[CONTEXT].isOver = true;
  });
  // Between these two hooks the body is read from the socket, whose events run in the connection's context: restore the request's.
  server.addHook('preValidation', (request: RequestWithContext, _reply, done) => {
    const context = request[CONTEXT] as RequestContext;
    if (storage.getStore() === context) done();
    else storage.run(context, done);
  });
}
