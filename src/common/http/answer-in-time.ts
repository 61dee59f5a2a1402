import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors/index.js';
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
  atMs: number;
  /** null once it is answered: nothing is to hold an answer that has gone. */
  reply: FastifyReply | null;
}

const ARRIVAL = Symbol('arrival');
type ReplyWithArrival = FastifyReply & { [ARRIVAL]?: Arrival };

/**
 * Whatever hangs behind the service, its caller is told within five seconds. The work goes on until its own limits end
 * it; all of it is atomic, so that the caller may simply try again.
 */
export function answerInTime(server: FastifyInstance): void {
  // One timer looks after all. Not a Map, from which each answer would be deleted: V8 leaves the outgrown table of one pointing to
  // the next, and once the first of them has grown old no request that was ever in one dies young.
  let arrivals: Arrival[] = [];
  server.decorateReply(ARRIVAL);
  server.addHook('preValidation', (request, reply: ReplyWithArrival, done) => {
    if (!request.routeOptions.config.waits) {
      reply[ARRIVAL] = { atMs: performance.now(), reply };
      arrivals.push(reply[ARRIVAL]);
    }
    done();
  });
  server.addHook('onResponse', (_request, reply: ReplyWithArrival, done) => {
    if (reply[ARRIVAL]) reply[ARRIVAL].reply = null;
    done();
  });
  const timer = setInterval(() => {
    const due = performance.now() - ANSWER_WITHIN_MS;
    const unanswered = arrivals.filter(({ reply }) => reply);
    arrivals = unanswered.filter(({ atMs }) => atMs > due);
    for (const { atMs, reply } of unanswered) if (atMs <= due && reply) refuse(reply);
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
