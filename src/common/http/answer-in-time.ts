import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors/index.js';
import { type Place, Roster } from './roster.js';
import { sendError } from './send-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route may take longer, since it waits for something to happen. */
    waits?: boolean;
  }
}

const ANSWER_WITHIN_MS = 4_500;
const CHECKED_EVERY_MS = 100;

interface Arrival {
  reply: ReplyWithArrival;
  atMs: number;
}

const ARRIVAL = Symbol('arrival');
type ReplyWithArrival = FastifyReply & { [ARRIVAL]?: Place<Arrival> };

/**
 * Whatever hangs behind the service, its caller is told within five seconds; of requests that wait for each other on one
 * connection, for each. The work goes on until its own limits end it; all of it is atomic, so that the caller may simply try again.
 */
export function answerInTime(server: FastifyInstance): void {
  // One timer looks after all.
  const arrivals = new Roster<Arrival>();
  const leave = (reply: ReplyWithArrival) => {
    if (reply[ARRIVAL]) arrivals.remove(reply[ARRIVAL]);
  };
  server.decorateReply(ARRIVAL);
  server.addHook('preValidation', (request, reply: ReplyWithArrival, done) => {
    if (!request.routeOptions.config.waits) reply[ARRIVAL] = arrivals.add({ reply, atMs: performance.now() });
    done();
  });
  server.addHook('onResponse', (_request, reply: ReplyWithArrival, done) => {
    leave(reply);
    done();
  });
  // An answer behind another on a connection that breaks is neither finished nor failed: Fastify never calls the hook for it.
  const timer = setInterval(() => {
    const due = performance.now() - ANSWER_WITHIN_MS;
    for (const { reply, atMs } of arrivals.present()) {
      if (atMs > due) return;
      leave(reply);
      refuse(reply);
    }
  }, CHECKED_EVERY_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    done();
  });
}

function refuse(reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) return;
  sendError(reply, new ApiError('service_unavailable'));
}
