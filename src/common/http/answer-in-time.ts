import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';
import { onEachEnd } from './on-each-end.js';
import { contextOf } from './request-context.js';
import { type Place, Roster } from './roster.js';
import { sendError } from './send-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route waits for an event, and is exempt from the time limit. */
    waits?: boolean;
  }
}

const ANSWER_WITHIN_MS = 4_500;
/** Before the first transaction of a request would be refused: an answer that has begun by then may take its time. */
const LOOKED_AT_AFTER_MS = 3_000;
const CHECKED_EVERY_MS = 100;

interface Arrival {
  reply: FastifyReply;
  atMs: number;
}

const ARRIVAL = Symbol('arrival');
type RequestWithArrival = FastifyRequest & { [ARRIVAL]?: Place<Arrival> };

/**
 * Answers 503 to a request that has no answer after 4.5 seconds, whatever it is waiting for. Pipelined requests that wait for
 * one another have that time each. The work behind such a request goes on until its own time limits end it, but gets no more hashes,
 * and its first transaction does not commit: the caller is told to try again, and would find done what was refused.
 */
export function answerInTime(server: FastifyInstance): void {
  // One timer for all requests: one each would cost more than the check itself.
  const arrivals = new Roster<Arrival>();
  /** @returns false for one that has left already, and for routes that wait */
  const leave = (request: RequestWithArrival): boolean => {
    const place = request[ARRIVAL];
    if (!place) return false;
    arrivals.remove(place);
    request[ARRIVAL] = undefined;
    return true;
  };
  server.decorateRequest(ARRIVAL);
  server.addHook('preValidation', (request: RequestWithArrival, reply, done) => {
    if (!request.routeOptions.config.waits) {
      const atMs = performance.now();
      request[ARRIVAL] = arrivals.add({ reply, atMs });
      setDue(request, atMs + ANSWER_WITHIN_MS);
    }
    done();
  });
  onEachEnd(server, (request) => leave(request) && setDue(request, undefined));
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const { reply, atMs } of arrivals.present()) {
      if (atMs > nowMs - LOOKED_AT_AFTER_MS) return;
      const hasBegun = reply.sent || reply.raw.headersSent;
      if (!hasBegun && atMs > nowMs - ANSWER_WITHIN_MS) continue;
      leave(reply.request);
      if (hasBegun) setDue(reply.request, undefined);
      else refuse(reply);
    }
  }, CHECKED_EVERY_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    done();
  });
}

function refuse(reply: FastifyReply): void {
  const context = contextOf(reply.request);
  // At once: its answer may have to wait for those before it on the connection.
  if (context) context.isOver = context.isRefused = true;
  sendError(reply, new ApiError('service_unavailable'));
}

function setDue(request: FastifyRequest, dueMs: number | undefined): void {
  const context = contextOf(request);
  if (context) context.dueMs = dueMs;
}
